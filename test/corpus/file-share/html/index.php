<?php
$db = new mysqli(getenv('MYSQL_HOST'), getenv('MYSQL_USER'), getenv('MYSQL_PASSWORD'), getenv('MYSQL_DATABASE'));
echo $db->query('SELECT 1')->fetch_row()[0], "\n";
