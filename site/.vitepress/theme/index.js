/** The generator's own theme, in the colours of the reports. */
import DefaultTheme from 'vitepress/theme';
import '../../../lab/report/assets/stamp.css';
import './colours.css';

export default DefaultTheme;
