import assert from 'node:assert/strict';
import { test } from 'node:test';
import { folderOf, LaunchError, secondContainer } from './launch.js';

const bind = (/** @type {string} */ source, target = source) => ({ Type: 'bind', Source: source, Destination: target });
const MACHINE = { cwd: '/home/ada/shop', place: '/volumes/p/_data', volume: 'p', user: '1000:100', socketGroup: 999, isTerminal: false };
const SELF = {
	Image: 'sha256:abc',
	Mounts: [bind('/var/run/docker.sock'), bind('/home/ada'), bind('/home/ada/shop')],
	Config: { Env: ['PATH=/bin', 'TOKEN=secret=x', 'LOAD=calm'] },
};

test('the folder that holds the working one is found, the nearest first', () => {
	assert.equal(folderOf(SELF.Mounts, '/home/ada/shop'), '/home/ada/shop');
	assert.equal(folderOf(SELF.Mounts, '/home/ada/shop/deploy'), '/home/ada/shop');
	assert.equal(folderOf([bind('/')], '/srv'), '/');
});

test('a folder that has another path on the machine is refused with what to type', () => {
	for (const mounts of [[], [bind('/srv/shop', '/work')], [{ ...bind('/work'), Type: 'volume' }], [bind('/wor')]]) {
		assert.throws(
			() => folderOf(mounts, '/work'),
			(error) => error instanceof LaunchError && /To do: docker run .*-w "\$PWD"/.test(error.message),
		);
	}
});

test('the second container has the paths of the machine, and the user of the folder', () => {
	const words = secondContainer(SELF, ['PATH=/bin'], MACHINE, ['run', '--', 'x']);
	const text = words.join(' ');
	assert.match(
		text,
		/--volume p:\/volumes\/p\/_data --volume \/home\/ada\/shop:\/home\/ada\/shop --workdir \/home\/ada\/shop sha256:abc run -- x$/,
	);
	assert.match(text, /--user 1000:100 --group-add 999/);
	assert.match(text, /--cap-drop ALL --security-opt no-new-privileges --read-only/);
	// It gives folders of the record to containers.
	assert.match(secondContainer(SELF, [], { ...MACHINE, user: '0:0' }, []).join(' '), /--cap-drop ALL --cap-add CHOWN .* --security-opt/);
});

test('variables of the user are handed on by their names, and no value stands in the list of processes', () => {
	const words = secondContainer(SELF, ['PATH=/bin'], MACHINE, []);
	assert.ok(words.includes('TOKEN') && words.includes('LOAD') && !words.includes('PATH'));
	assert.ok(!words.join(' ').includes('secret'));
});
