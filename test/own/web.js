// One answer in twenty is an error.
const { createServer } = require('node:http');

const delayMs = Number(process.env.DELAY_MS);
let asked = 0;
createServer((_, response) => {
  asked += 1;
  response.statusCode = asked % 20 === 0 ? 500 : 200;
  if (delayMs > 0) setTimeout(() => response.end('hello\n'), delayMs);
  else response.end('hello\n');
}).listen(3000);
