const { ApolloServer } = require('@apollo/server');
module.exports = ApolloServer;
