<?php
/* Plugin Name: Hello */
