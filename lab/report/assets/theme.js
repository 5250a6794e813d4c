/**
 * Light or dark: as the reader's system says, until the reader says otherwise. It stands in the head of the page and
 * imports nothing, so that the choice is there before anything is painted.
 */
(() => {
	const KEY = 'doubletake-theme';
	const root = document.documentElement;
	const systemIsDark = matchMedia('(prefers-color-scheme: dark)');
	const isDark = () => (root.dataset.theme ? root.dataset.theme === 'dark' : systemIsDark.matches);

	/** @param {string | undefined} theme undefined: as the system says */
	const show = (theme) => {
		if (theme) root.dataset.theme = theme;
		else delete root.dataset.theme;
		document.dispatchEvent(new Event('themechange'));
	};

	try {
		const chosen = localStorage.getItem(KEY);
		if (chosen === 'light' || chosen === 'dark') root.dataset.theme = chosen;
	} catch {
		// A browser that keeps nothing for files shows the system's theme.
	}

	document.addEventListener('DOMContentLoaded', () => {
		document.getElementById('theme')?.addEventListener('click', () => {
			const theme = isDark() ? 'light' : 'dark';
			show(theme);
			try {
				localStorage.setItem(KEY, theme);
			} catch {
				// The choice then lasts as long as the page.
			}
		});
	});
	systemIsDark.addEventListener('change', () => show(root.dataset.theme));

	/** @type {string | undefined} */
	let beforePrint;
	addEventListener('beforeprint', () => {
		beforePrint = root.dataset.theme;
		show('light');
	});
	addEventListener('afterprint', () => show(beforePrint));
})();
