CREATE TABLE IF NOT EXISTS places (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(255), visited TINYINT);
INSERT INTO places (name, visited) VALUES ('Berlin', 0), ('Lima', 1);
