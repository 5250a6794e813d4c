// Sends each request to the container whose VIRTUAL_HOST it names, if the engine's socket gives that, and nothing that it must not.
const http = require('node:http');

// As a container's first process it would not hear of it otherwise, and would be waited for.
process.on('SIGTERM', () => process.exit());

const { NETWORK = '', FOREIGN } = process.env;

/** @type {(path: string, method?: string) => Promise<{ status: number, answer: any }>} */
const ask = (path, method = 'GET') =>
	new Promise((resolve, reject) => {
		const request = http.request({ socketPath: '/tmp/docker.sock', path: `/v1.41${path}`, method, agent: false }, async (response) => {
			const chunks = [];
			for await (const chunk of response) chunks.push(chunk);
			resolve({ status: Number(response.statusCode), answer: JSON.parse(String(Buffer.concat(chunks))) });
		});
		request.on('error', reject);
		request.end();
	});

/** @param {string} host @returns {Promise<{ server: any, list: any[] }>} */
async function serverOf(host) {
	/** @type {{ answer: any[] }} */
	const { answer: list } = await ask('/containers/json');
	const servers = await Promise.all(list.map(async ({ Id }) => (await ask(`/containers/${Id}/json`)).answer));
	const server = servers.find(({ Config }) => Config.Env.includes(`VIRTUAL_HOST=${host}`));
	return { server, list };
}

/** @param {{ server: any, list: any[] }} found */
async function wrongIn({ server, list }) {
	const projects = [...new Set(list.map(({ Labels }) => Labels['com.docker.compose.project']))];
	const statuses = await Promise.all(
		[
			[`/containers/${server.Id}/stop`, 'POST'],
			[`/containers/${server.Id}/exec`, 'POST'],
			[`/containers/${server.Id}`, 'DELETE'],
			[`/containers/${server.Id}/logs?stdout=1`],
			['/images/json'],
			[`/containers/${FOREIGN}/json`],
		].map(async ([path, method]) => (await ask(path, method)).status),
	);
	const found = {
		projects,
		statuses,
		services: list.length,
		secret: server.Config.Env.filter((/** @type {string} */ one) => one.startsWith('SECRET=')),
	};
	const wanted = { projects: ['found'], statuses: [403, 403, 403, 403, 403, 404], services: 2, secret: ['SECRET='] };
	return JSON.stringify(found) === JSON.stringify(wanted) ? '' : JSON.stringify(found);
}

http
	.createServer(async (request, response) => {
		try {
			const found = await serverOf(String(request.headers.host));
			const wrong = found.server === undefined ? `nobody serves ${request.headers.host}` : await wrongIn(found);
			if (wrong !== '') return response.writeHead(502, { 'Content-Type': 'text/plain' }).end(`${wrong}\n`);
			const { IPAddress } = found.server.NetworkSettings.Networks[NETWORK];
			const { url, method, headers } = request;
			return http.request({ host: IPAddress, port: 3000, path: url, method, headers }, (answer) => answer.pipe(response)).end();
		} catch (error) {
			return response.writeHead(500, { 'Content-Type': 'text/plain' }).end(`${error}\n`);
		}
	})
	.listen(8080);
