import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { NotReadyError } from '../base/errors.ts';
import { isAllowedBy, refuseOutside, refuseVariables } from './outside-folder.ts';

const root = realpathSync(mkdtempSync(join(os.tmpdir(), 'doubletake-outside-')));
after(() => rmSync(root, { recursive: true }));
const [shop, home] = [join(root, 'shop'), join(root, 'home')];
for (const folder of [join(shop, 'sub'), join(shop, 'data'), join(home, '.ssh')]) mkdirSync(folder, { recursive: true });
for (const file of ['compose.yaml', 'openapi.yaml', 'sub/compose.yaml']) writeFileSync(join(shop, file), '');
writeFileSync(join(shop, 'load.js'), "import './sub/steps.js';\nexport default () => {};\n");
writeFileSync(join(shop, 'sub/steps.js'), "\nconst all = open('../data');\n");
writeFileSync(join(home, 'spy.js'), `open('${join(home, '.ssh')}')`);
symlinkSync(home, join(shop, 'away'));
symlinkSync('sub', join(shop, 'within'));
symlinkSync('circle', join(shop, 'circle'));
symlinkSync(join(home, '.ssh/key'), join(shop, 'dangling'));

const look: (part: Record<string, any>, allowed?: string[], place?: { folder: string; root: string }) => void = (
	{ reports, ...part },
	allowed = [],
	place,
) =>
	refuseOutside({
		...{ folder: shop, reports },
		project: { compose: ['compose.yaml'], load: { urls: ['GET /'] }, ...part },
		allowed: { paths: allowed, variables: [] },
		place,
	});
const refused: (part: Record<string, any>, words: RegExp, allowed?: string[]) => void = (part, words, allowed) =>
	assert.throws(
		() => look(part, allowed),
		(error) => {
			assert.ok(error instanceof NotReadyError, String(error));
			assert.match(error.message, words);
			return true;
		},
	);

test('what lies in the folder is nobody else’s, also by a link that stays there', () => {
	look({
		compose: ['compose.yaml', 'within/compose.yaml', './sub/../compose.yaml', join(shop, 'compose.yaml'), 'nowhere.yaml'],
		load: { openapi: 'openapi.yaml' },
		data: { './data': 'live', './within': 'live', '/etc': 'copy' },
	});
	look({ load: { script: 'load.js' } });
});

test('records go where a link in the folder leads only if the command line allows that', () => {
	const reports = join(shop, 'away');
	refused({ reports }, new RegExp(`the reports: "${reports}", which leads to "${home}"[\\s\\S]*--allow=${home}`));
	look({ reports }, [home]);
	for (const own of [join(shop, 'within'), join(shop, 'reports'), home]) look({ reports: own });
});

test('what leaves it is refused with where it is named, where it leads, and what to type', () => {
	refused(
		{ compose: ['../home/compose.yaml'] },
		/doubletake\.yaml, compose: "\.\.\/home\/compose\.yaml", which leads to ".*\/home\/compose\.yaml"/,
	);
	refused(
		{ compose: ['away/compose.yaml'] },
		/compose: "away\/compose\.yaml", which leads to ".*\/home\/compose\.yaml"[\s\S]*--allow='?.*\/home\/compose\.yaml'?/,
	);
	refused({ data: { './away': 'live' } }, /doubletake\.yaml, data: "\.\/away", which leads to ".*\/home"/);
	refused(
		{ data: { '/etc': 'live', '/usr/local/bin/': 'live' } },
		/data: "\/etc"\n.*data: "\/usr\/local\/bin\/"[\s\S]*--allow='?\/etc'? --allow='?\/usr\/local\/bin'?/,
	);
	refused({ data: { './dangling': 'live' } }, /which leads to ".*\/home\/\.ssh\/key"/);
	refused({ data: { './circle': 'live' } }, /data: "\.\/circle"/);
	refused({ data: { './within/../../home': 'live' } }, /which leads to ".*\/home"/);
	refused({ load: { openapi: 'away/api.yaml' } }, /load\.openapi: /);
	refused({ load: { script: 'away/spy.js' } }, /load\.script: "away\/spy\.js"/);
});

test('a path that was allowed stands for itself and what lies below it, and for nothing else', () => {
	look({ data: { './away': 'live' }, compose: ['away/compose.yaml'] }, [home]);
	refused({ data: { './away': 'live' } }, /"\.\/away"/, [join(home, '.ssh')]);
	refused({ data: { './away': 'live' } }, /"\.\/away"/, [`${home}-other`]);
	// The script itself is allowed, and what it opens is not by that.
	refused({ load: { script: 'away/spy.js' } }, /away\/spy\.js, line 1: ".*\.ssh"/, [join(home, 'spy.js')]);
	look({ load: { script: 'away/spy.js' } }, [home]);
	assert.deepEqual(['/srv/data', '/srv/data/x', '/srv/database'].map(isAllowedBy({ paths: ['/srv/data'], variables: [] })), [
		true,
		true,
		false,
	]);
});

test('Compose files of another checkout are looked for there', () => {
	look({}, [], { folder: join(shop, 'sub'), root: join(shop, 'sub') });
	assert.throws(() => look({ compose: ['../compose.yaml'] }, [], { folder: join(shop, 'sub'), root: join(shop, 'sub') }));
	look({ compose: ['../compose.yaml'] }, [], { folder: join(shop, 'sub'), root: shop });
});

test('a variable that a header takes is named with what to type, and taken where it was allowed', () => {
	const headers = { Authorization: `Bearer \${TOKEN}`, 'X-Both': `\${ONE} \${TOKEN}`, Plain: 'acme' };
	assert.throws(
		() => refuseVariables(headers, { paths: [], variables: ['ONE'] }),
		/found TOKEN \(by the header Authorization\), TOKEN \(by the header X-Both\)\.\n.*add --allow-variable=TOKEN to the command/s,
	);
	refuseVariables(headers, { paths: [], variables: ['ONE', 'TOKEN'] });
	refuseVariables(undefined, { paths: [], variables: [] });
});
