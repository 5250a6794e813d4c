db = db.getSiblingDB('catalogue');
db.products.insertMany([{ sku: 'A', name: 'Robot' }]);
