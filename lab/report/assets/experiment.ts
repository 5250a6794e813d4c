/**
 * The script of an experiment's page: it copies a sentence or a command to the clipboard.
 */
const SHOWN_MS = 1600;
/** A browser that neither writes nor refuses (it asks, or its clipboard is held by another) must not leave the button silent. */
const WRITE_MOST_MS = 1000;

for (const button of document.querySelectorAll('button.copy')) {
	if (!(button instanceof HTMLButtonElement)) continue;
	button.hidden = false;
	button.addEventListener('click', () => copyBeside(button));
}

async function copyBeside(button: HTMLButtonElement) {
	const source = button.closest('[data-copied]')?.querySelector('blockquote, code');
	if (!source) return;
	const name = button.ariaLabel;
	const said = (await copy(source)) ? 'Copied' : 'Selected';
	Object.assign(button, { textContent: said, ariaLabel: said });
	setTimeout(() => Object.assign(button, { textContent: 'Copy', ariaLabel: name }), SHOWN_MS);
}

/** A browser may refuse; then the text is at least selected, ready for the reader's own keys. */
async function copy(source: Element) {
	try {
		await Promise.race([navigator.clipboard.writeText(source.textContent ?? ''), refusal(WRITE_MOST_MS)]);
		return true;
	} catch {
		getSelection()?.selectAllChildren(source);
		return false;
	}
}

const refusal = (ms: number): Promise<never> => new Promise((_resolve, reject) => setTimeout(() => reject(new Error('no answer')), ms));
