import './react-sdk.browser.spec.js';
