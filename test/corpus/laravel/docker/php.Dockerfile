FROM php:8.2-fpm
ARG user
ARG uid
RUN apt-get update && apt-get install -y git curl libpng-dev libonig-dev zip unzip
RUN docker-php-ext-install pdo_mysql mbstring exif pcntl bcmath gd
COPY --from=composer:latest /usr/bin/composer /usr/bin/composer
RUN useradd -G www-data,root -u $uid -d /home/$user $user
WORKDIR /var/www
USER $user
