// A script that knows nothing of the lab: two scenarios, a check that fails, a threshold that is not met.
import { check, sleep } from 'k6';
import http from 'k6/http';

const duration = '8s';

export const options = {
	scenarios: {
		looking: { executor: 'ramping-vus', exec: 'look', stages: [{ duration, target: 10 }] },
		asking: { executor: 'constant-arrival-rate', exec: 'ask', rate: 5, timeUnit: '1s', preAllocatedVUs: 5, duration },
	},
	thresholds: { http_req_failed: ['rate<0.001'] },
};

export function look() {
	http.get('http://edge:8000/');
	sleep(0.1);
}

// What users say is theirs: none of it may be on record.
const secrets = { Cookie: 'session=canary', Authorization: 'Bearer canary', 'X-Custom': 'canary' };

export function ask() {
	check(http.post('http://edge:8000/ask?token=canary', 'canary', { headers: secrets }), {
		'it says good-bye': ({ body }) => body === 'good-bye\n',
	});
}
