const redis = require('redis');
const redisClient = redis.createClient({ host: process.env.REDIS_HOST || 'redis' });
const mongoURL = process.env.MONGO_URL || 'mongodb://mongodb:27017/users';
