<?php
$pdo = new PDO(getenv('PDO_URL') ?: 'mysql:host=mysql;dbname=ratings;charset=utf8mb4', 'ratings', 'x');
$ch = curl_init((getenv('CATALOGUE_URL') ?: 'http://catalogue:8080') . '/product/A');
