// One answer in twenty is an error.
const { createServer } = require('node:http');

let asked = 0;
createServer((_, response) => {
  asked += 1;
  response.statusCode = asked % 20 === 0 ? 500 : 200;
  response.end('hello\n');
}).listen(3000);
