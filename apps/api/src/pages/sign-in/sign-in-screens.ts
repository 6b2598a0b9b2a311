import { escapeHtml } from '@gatehouse/platform';
import type { SignInOptionsResponse } from '../../sign-in/dto/sign-in-options.response.js';
import { form, hiddenInputs, linkButton, type PageContent } from '../page.js';
import {
  divider,
  linkLine,
  secondarySubmit,
  passkeyForm,
  secondaryLink,
  textInput,
} from './sign-in-fields.js';
import type { SignInScreen } from './sign-in-query.js';
import { signInPath, type SignInPageRequest } from './sign-in-requests.service.js';
import type { SignInTexts } from './sign-in-texts-english.js';

/** The input that a problem concerns. */
export type ProblemField = 'email' | 'password' | 'code' | null;

/** The options that a page offers. */
export interface OfferedOptions extends SignInOptionsResponse {
  /** Names of the providers that cannot prove a sign-in as recent as the application requires. */
  omittedProviders: string[];
}

/** The data that a screen is rendered from. */
export interface ScreenContext {
  page: SignInPageRequest;
  texts: SignInTexts;
  /** The methods that the project offers on this page. */
  options: OfferedOptions;
  /** Email address that the customer has entered or the application suggests. */
  email: string | null;
  problemField: ProblemField;
  /** True if the provider has not shared an email address. */
  isEmailRequired: boolean;
  /** Slug of the provider that the email address requires, or null. */
  requiredProvider: string | null;
}

/** Heading, text and forms of a screen. */
export type ScreenContent = Pick<PageContent, 'title' | 'text' | 'button'>;

/** Returns the content of a screen that a URL can open. */
export function renderScreen(screen: SignInScreen, context: ScreenContext): ScreenContent {
  const { options } = context;
  const canSignUp = options.allowSignUp && options.password;
  if (screen === 'sign_up' && canSignUp) return signUp(context);
  if (screen === 'forgot_password' && options.password) return forgotPassword(context);
  if (screen === 'email_code' && options.emailCode) return emailCode(context);
  if (screen === 'check_inbox') return checkInbox(context);
  if (screen === 'reset_sent') return resetSent(context);
  const canProveEmail = options.emailCode && context.requiredProvider === null;
  if (context.isEmailRequired && canProveEmail) return signIn(withEmailCodeOnly(context), false);
  return signIn(context, screen === 'sign_up' && options.allowSignUp);
}

/**
 * Returns the context for a sign-in at a provider that has not shared an email address: only an email code is offered,
 * which proves ownership of the address.
 */
const withEmailCodeOnly = (context: ScreenContext): ScreenContext => ({
  ...context,
  options: { ...context.options, password: false, passkey: false, providers: [], omittedProviders: [] },
});

/** Returns the parameter for the flow that an email code is bound to, if the page has one. */
const flowOf = ({ query }: SignInPageRequest): Record<string, string> =>
  query.flow === null ? {} : { flow: query.flow };

const emailInput = ({ texts, email, problemField }: ScreenContext): string =>
  textInput({
    name: 'email',
    label: texts.email,
    type: 'email',
    autocomplete: 'username',
    value: email ?? '',
    hasFocus: !email || problemField === 'email',
    isInvalid: problemField === 'email',
  });

function signIn(context: ScreenContext, isSignUp: boolean): ScreenContent {
  const { page, texts, options } = context;
  const hasForm = options.password || options.emailCode;
  const others = [passkeyButton(context), ...providerLinks(context)].filter((each) => each !== '');
  return {
    title: isSignUp ? texts.signUp : texts.signIn,
    text: hasForm || others.length > 0 ? '' : texts.noMethod,
    button: [
      ...(hasForm ? [signInForm(context)] : []),
      ...(hasForm && others.length > 0 ? [otherMethods(context, others)] : others),
      omittedProviders(context),
      ...(options.allowSignUp && options.password
        ? [linkLine(signInPath(page, '', { screen: 'sign_up' }), texts.signUpLink, texts.noAccount)]
        : []),
    ].join(''),
  };
}

/**
 * Returns a divider and the other sign-in methods. The divider is hidden if the only other method is a passkey button
 * that is hidden.
 */
const otherMethods = ({ texts }: ScreenContext, others: string[]): string =>
  `<div class="others">${divider(texts.or)}${others.join('')}</div>`;

function signInForm(context: ScreenContext): string {
  const { page, texts, options, email, problemField } = context;
  const codePath = signInPath(page, '/email-code', flowOf(page));
  if (!options.password) {
    const hint = options.allowSignUp ? `<p class="hint">${escapeHtml(texts.emailCodeHint)}</p>` : '';
    return form(codePath, texts.emailCode, emailInput(context) + hint);
  }
  const password = textInput({
    name: 'password',
    label: texts.password,
    type: 'password',
    autocomplete: 'current-password',
    hasFocus: !!email && problemField !== 'email',
    isInvalid: problemField === 'password',
  });
  const forgot = `<p class="forgot"><a href="${escapeHtml(signInPath(page, '', { screen: 'forgot_password' }))}">${escapeHtml(texts.forgotLink)}</a></p>`;
  const more = options.emailCode ? secondarySubmit(codePath, texts.emailCode) : '';
  return form(signInPath(page), texts.signIn, emailInput(context) + password + forgot, { more });
}

function passkeyButton({ page, texts, options }: ScreenContext): string {
  if (!options.passkey) return '';
  return passkeyForm({
    path: signInPath(page, '/passkey'),
    optionsPath: signInPath(page, '/passkey/options'),
    label: texts.passkey,
    ceremony: 'get',
    failure: texts.script.failed,
  });
}

/** Returns the links to the providers, or only one link if the address requires a provider. */
const providerLinks = ({ page, texts, options, requiredProvider }: ScreenContext): string[] =>
  options.providers
    .filter(({ slug }) => requiredProvider === null || slug === requiredProvider)
    .map(({ slug, name }) => secondaryLink(signInPath(page, `/provider/${slug}`), texts.provider(name)));

/** Returns the reason why providers are omitted, or an empty string. */
function omittedProviders({ texts, options }: ScreenContext): string {
  const names = options.omittedProviders;
  return names.length > 0 ? `<p class="hint">${escapeHtml(texts.omittedProviders(names))}</p>` : '';
}

function signUp(context: ScreenContext): ScreenContent {
  const { page, texts, email, problemField } = context;
  const minLength = page.project.settings.passwordMinLength;
  const password = textInput({
    name: 'password',
    label: texts.password,
    type: 'password',
    autocomplete: 'new-password',
    minLength,
    hint: texts.passwordHint(minLength),
    hasFocus: !!email && problemField !== 'email',
    isInvalid: problemField === 'password',
  });
  const providers = providerLinks(context);
  return {
    title: texts.signUp,
    button: [
      form(signInPath(page, '/sign-up'), texts.signUpButton, emailInput(context) + password),
      ...(providers.length > 0 ? [otherMethods(context, providers)] : []),
      omittedProviders(context),
      linkLine(signInPath(page), texts.signIn, texts.hasAccount),
    ].join(''),
  };
}

function forgotPassword(context: ScreenContext): ScreenContent {
  const { page, texts } = context;
  const { title, text, button } = texts.forgotPassword;
  return {
    title,
    text,
    button:
      form(signInPath(page, '/forgot-password'), button, emailInput(context)) +
      linkLine(signInPath(page), texts.back),
  };
}

const resetSent = ({ page, texts, email }: ScreenContext): ScreenContent => ({
  title: texts.resetSent.title,
  text: texts.resetSent.text(email),
  button: linkLine(signInPath(page), texts.back),
});

function checkInbox({ page, texts, email }: ScreenContext): ScreenContent {
  const { title, text, button } = texts.checkInbox;
  const path = signInPath(page, '/verification');
  const again = form(path, button, hiddenInputs({ email: email ?? '' }), { isSecondary: true });
  return {
    title,
    text: text(email),
    button: linkButton(signInPath(page), texts.signIn) + (email ? again : ''),
  };
}

function emailCode({ page, texts, email, problemField }: ScreenContext): ScreenContent {
  const { title, text, label, button, again } = texts.enterCode;
  const code = textInput({
    name: 'code',
    label,
    autocomplete: 'one-time-code',
    isNumeric: true,
    hasFocus: true,
    isInvalid: problemField === 'code',
  });
  const { token } = page.query;
  const flow = flowOf(page);
  const resend = form(signInPath(page, '/email-code', flow), again, hiddenInputs({ email: email ?? '' }), {
    isSecondary: true,
  });
  return {
    title,
    text: text(email),
    button: [
      form(signInPath(page, '/email-code/verify', { token, ...flow }), button, code),
      ...(email ? [resend] : []),
      linkLine(signInPath(page), texts.back),
    ].join(''),
  };
}
