// One answer in twenty is an error, but at /well; at /gone all are.
const { createServer } = require('node:http');

// As a container's first process it would not hear of it otherwise, and would be waited for.
process.on('SIGTERM', () => process.exit());

const delayMs = Number(process.env.DELAY_MS);
let asked = 0;
createServer(({ url, headers }, response) => {
	asked += 1;
	// What users say is in many a log.
	if (asked % 20 === 0) console.log(`GET ${url} of "${headers['x-custom']}" with user=${headers.cookie}`);
	response.statusCode = url === '/gone' ? 410 : url !== '/well' && asked % 20 === 0 ? 500 : 200;
	response.setHeader('Set-Cookie', 'session=canary');
	if (delayMs > 0) setTimeout(() => response.end('hello canary\n'), delayMs);
	else response.end('hello canary\n');
}).listen(3000);
