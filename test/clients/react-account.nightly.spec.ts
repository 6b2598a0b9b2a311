import './react-account.browser.spec.js';
