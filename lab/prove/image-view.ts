/**
 * What the images of a run have of their own: what they start, what they set in the environment, and known files of settings. Each is looked at
 * in an image that is there; nothing of it runs.
 */

import { IMAGE_FILES } from '../adapters/known-settings.ts';
import { NotReadyError } from '../base/errors.ts';
import { secretsOf } from '../base/secret-names.ts';
import { secrets } from '../base/secrets.ts';
import { readImageFile } from '../docker/container-file.ts';
import { newRunProject, projectSystem } from '../docker/containers.ts';
import { imageEnvironment, imageStart, isPresent } from '../docker/images.ts';
import type { AttachedService } from '../target/compose-model.ts';
import type { ImageView } from './knobs.ts';

/**
 * @param manifest of the run
 * @param folder of doubletake.yaml
 * @returns by service, without those whose image is not there any more
 */
export async function imageViews(
	{ images = [] }: { images?: { name: string; image: string }[] },
	models: AttachedService[],
	folder: string,
): Promise<Record<string, ImageView>> {
	const views: Record<string, ImageView> = {};
	for (const { service } of models) {
		const image = images.find(({ name }) => name === service || name === `${service}-1`)?.image;
		if (image !== undefined && (await isPresent(image))) views[service] = await viewOf(image, folder);
	}
	return views;
}

async function viewOf(image: string, folder: string): Promise<ImageView> {
	const [environment, start] = await Promise.all([imageEnvironment(image), imageStart(image)]);
	secrets.learn(Object.entries(environment).flatMap(([name, value]) => secretsOf(name, value)));
	const about = [image, ...start.entrypoint, ...start.command].join(' ');
	const system = projectSystem({ project: newRunProject(), folder, files: [] });
	const files: Record<string, string> = {};
	for (const path of IMAGE_FILES.filter(({ product }) => product.test(about)).flatMap(({ paths }) => paths)) {
		const text = await readImageFile(system, image, path).catch((error) => {
			// A setting more could be tried; what is no configuration has none.
			if (error instanceof NotReadyError) return '';
			throw error;
		});
		if (text !== '') files[path] = text;
	}
	return { environment, ...start, files };
}
