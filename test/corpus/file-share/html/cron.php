<?php echo date('c'), "\n";
