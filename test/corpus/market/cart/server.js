const request = require('request');
const redisHost = process.env.REDIS_HOST || 'redis';
const catalogueHost = process.env.CATALOGUE_HOST || 'catalogue';
request(`http://${catalogueHost}:8080/product/A`);
