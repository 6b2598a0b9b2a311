import './console-providers.browser.spec.js';
