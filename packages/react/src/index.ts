export { AccountSettings, type AccountSettingsProps } from './account/account-settings.js';
export {
  CustomerButton,
  type CustomerButtonProps,
  type CustomerMenuItem,
} from './account/customer-button.js';
export * from './hooks.js';
export { en } from './localization/en.js';
export { SignIn, type SignInProps } from './sign-in/sign-in.js';
export { SignUp, type SignUpProps } from './sign-in/sign-up.js';
