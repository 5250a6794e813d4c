/**
 * Tells from a Compose service whether it runs a certain proxy: by its image's name, else by the command that it starts, else by where its
 * configuration lies.
 */

import type { Detection, ServiceModel } from './contract.ts';

/** what gives a proxy away */
type ProxyTraits = {
	/** of its image's name, without registry and tag */
	images: RegExp;
	program: string;
	/** where no other program looks for its configuration */
	folders: RegExp;
	/** of which one follows the program when it serves, so that a program's name that is an argument does not count */
	options: string[];
};

const HAS_RUNTIME = /php|fpm|python|node|ruby/i;

export function detectProxy(service: ServiceModel, { images, program, options, folders }: ProxyTraits): Detection | null {
	if (images.test(imagePath(service.image))) return { tier: 'load-balancer', reason: `image ${service.image}` };
	const option = optionOf(service, program, options);
	if (option !== undefined) return { tier: 'load-balancer', reason: `command ${program} ${option}` };
	const mounted = service.mounts.flatMap(({ type, target }) => (type === 'bind' ? [target] : []));
	const place = [...mounted, ...(service.files ?? [])].find((path) => folders.test(path));
	// A helper that writes or reads such a configuration listens nowhere, and beside a language's runtime a proxy serves that alone.
	if (place === undefined || service.ports.length === 0 || HAS_RUNTIME.test(service.image)) return null;
	return { tier: 'load-balancer', reason: `its configuration at ${place}` };
}

/** @returns without registry, tag and digest: `haproxy`, `haproxytech/haproxy-alpine` */
export function imagePath(image: string): string {
	const parts = image.replace(/@.*$/, '').split('/');
	// What has a dot or a port before the first slash is a registry. Docker Hub's own images may be spelt with `library`.
	if (parts.length > 1 && /[.:]|^localhost$/.test(parts[0])) parts.shift();
	if (parts.length > 1 && parts[0] === 'library') parts.shift();
	return parts.join('/').replace(/:[^:/]*$/, '');
}

/**
 * The values that a command gives an option of its program, in their order (`-f a -f b`, `--config=a`).
 * @param program what stands before it is another program's (`sh -c`); where it is not named, the image names it
 */
export function optionValues(service: ServiceModel, program: string, names: string[]): string[] {
	const all = wordsOf(service);
	const words = all.slice(all.findIndex((word) => isProgram(word, program)) + 1);
	return words.flatMap((word, index) => {
		const equals = word.startsWith('--') ? word.indexOf('=') : -1;
		const name = equals < 0 ? word : word.slice(0, equals);
		const value = equals < 0 ? words[index + 1] : word.slice(equals + 1);
		return names.includes(name) && value ? [value] : [];
	});
}

function optionOf(service: ServiceModel, program: string, options: string[]): string | undefined {
	const words = wordsOf(service);
	const at = words.findIndex((word) => isProgram(word, program));
	if (at < 0) return undefined;
	return words
		.slice(at + 1)
		.map((word) => word.replace(/=.*$/, ''))
		.find((word) => options.includes(word));
}

/** By its name or its path. */
const isProgram: (word: string, program: string) => boolean = (word, program) => word.split('/').at(-1) === program;

/** A command may be one text for a shell (`sh -c "exec haproxy -f x"`). */
const wordsOf = ({ command }: ServiceModel) =>
	command
		.flatMap((part) => part.split(/\s+/))
		.map((word) => word.replace(/^['"]+|['"]+$/g, ''))
		.filter((word) => word !== '');
