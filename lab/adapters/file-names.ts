/** Whether a path is of a file by its name alone, where nothing lies there that could be looked at. */

import { basename, extname } from 'node:path';

/** Folders have dots in their names too: `conf.d`, `example.com`. */
const OF_FILES =
	/^\.(conf|cfg|cnf|ini|ya?ml|json|toml|xml|properties|env|sh|sql|js|mjs|ts|py|rb|php|html?|css|txt|md|pem|crt|cer|key|pub|acl|hcl|lua|vcl|list|db|sqlite3?|log|gz|zip|jar|war)$/i;

const WHOLE = /^(Caddyfile|Dockerfile|Makefile|\.?htpasswd|\.env)$/;

export const isNamedAsFile = (path: string) => OF_FILES.test(extname(path)) || WHOLE.test(basename(path));
