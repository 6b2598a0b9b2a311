import { challengeMethods, type ChallengeKind, type ChallengeMethod } from '@gatehouse/domain';
import { escapeHtml } from '@gatehouse/platform';
import { form, hiddenInputs } from '../page.js';
import { passkeyForm, textInput } from './sign-in-fields.js';
import type { ScreenContent, ScreenContext } from './sign-in-screens.js';
import { signInPath, type SignInPageRequest } from './sign-in-requests.service.js';

/** An open challenge, as stored in the forms on its screen. It is bound to the flow, and only its token is trusted. */
export interface ScreenChallenge {
  token: string;
  /** Secret of the flow, for the paths of the forms. */
  flow: string;
  kind: ChallengeKind;
  methods: ChallengeMethod[];
  /** `otpauth://` URI of the authenticator that an enrollment adds, otherwise an empty string. */
  uri: string;
}

/** Returns the challenge that a form has submitted. */
export function readChallenge({ form, query }: Pick<SignInPageRequest, 'form' | 'query'>): ScreenChallenge {
  const { challenge = '', kind, methods = '', uri = '' } = form;
  return {
    token: challenge,
    flow: query.flow ?? '',
    kind: kind === 'enroll_factor' ? kind : 'second_factor',
    methods: challengeMethods.filter((method) => methods.split(' ').includes(method)),
    uri,
  };
}

const fieldsOf = ({ token, kind, methods, uri }: ScreenChallenge): Record<string, string> => ({
  challenge: token,
  kind,
  methods: methods.join(' '),
  ...(uri ? { uri } : {}),
});

/** `hasPasskeys` is false if passkeys cannot be used on this page's host. */
export type ChallengeContext = ScreenContext & { hasPasskeys: boolean };

/** Returns the screen that verifies a second factor. */
export function renderSecondFactor(context: ChallengeContext, challenge: ScreenChallenge): ScreenContent {
  const { page, texts, problemField, hasPasskeys } = context;
  const { secondFactor } = texts;
  const { methods, flow } = challenge;
  const hasTotp = methods.includes('totp');
  const path = signInPath(page, '/challenge', { flow });
  const isInvalid = problemField === 'code';
  const passkey =
    methods.includes('passkey') && hasPasskeys
      ? passkeyForm({
          path: signInPath(page, '/challenge/passkey', { flow }),
          optionsPath: signInPath(page, '/challenge/passkey/options', { flow }),
          label: secondFactor.passkey,
          ceremony: 'get',
          fields: fieldsOf(challenge),
          failure: texts.script.failed,
        })
      : '';
  const code = codeInput(secondFactor.code, isInvalid);
  const fields = (method: string): string => hiddenInputs({ ...fieldsOf(challenge), method });
  const recoveryCode = textInput({ name: 'recovery', label: secondFactor.recoveryCode, autocomplete: 'off' });
  const recovery = methods.includes('recovery_code')
    ? `<details${hasTotp || passkey ? '' : ' open'}><summary>${escapeHtml(secondFactor.recovery)}</summary>${form(path, secondFactor.button, fields('recovery_code') + recoveryCode, { isSecondary: true })}</details>`
    : '';
  const fallback = passkey || recovery ? secondFactor.passkeyOnly : secondFactor.unavailable;
  return {
    title: secondFactor.title,
    text: hasTotp ? secondFactor.totp : fallback,
    button: [
      ...(hasTotp ? [form(path, secondFactor.button, fields('totp') + code)] : []),
      passkey,
      recovery,
    ].join(''),
  };
}

/**
 * Returns the screen that adds the first second factor.
 * @param authenticator secret and QR code of the new authenticator
 */
export function renderEnrollment(
  context: ChallengeContext,
  challenge: ScreenChallenge,
  authenticator: { secret: string; qrCode: string },
): ScreenContent {
  const { page, texts, problemField, hasPasskeys } = context;
  const { enroll } = texts;
  const { flow } = challenge;
  const fields = hiddenInputs({ ...fieldsOf(challenge), method: 'totp' });
  const passkey = challenge.methods.includes('passkey') && hasPasskeys;
  return {
    title: enroll.title,
    text: enroll.text,
    button: [
      `<div class="qr" role="img" aria-label="${escapeHtml(enroll.qrCode)}">${authenticator.qrCode}</div>`,
      `<p class="hint">${escapeHtml(enroll.secret)} <code>${escapeHtml(inGroups(authenticator.secret))}</code></p>`,
      form(
        signInPath(page, '/challenge', { flow }),
        enroll.button,
        fields + codeInput(enroll.code, problemField === 'code'),
      ),
      ...(passkey
        ? [
            passkeyForm({
              path: signInPath(page, '/challenge/enroll-passkey', { flow }),
              optionsPath: signInPath(page, '/challenge/enroll-passkey/options', { flow }),
              label: enroll.passkey,
              ceremony: 'create',
              fields: fieldsOf(challenge),
              failure: texts.script.failed,
            }),
          ]
        : []),
    ].join(''),
  };
}

/**
 * Returns the screen that shows new recovery codes.
 * @param flow the flow with which the page continues afterwards
 */
export function renderRecoveryCodes(
  { page, texts }: ScreenContext,
  codes: string[],
  flow: string,
): ScreenContent {
  const { title, text, button } = texts.recoveryCodes;
  const list = codes.map((each) => `<li><code>${escapeHtml(each)}</code></li>`).join('');
  return {
    title,
    text,
    button: `<ul class="codes">${list}</ul>${form(signInPath(page, '/continue', { flow }), button, '')}`,
  };
}

const codeInput = (label: string, isInvalid: boolean): string =>
  textInput({
    name: 'code',
    label,
    autocomplete: 'one-time-code',
    isNumeric: true,
    hasFocus: true,
    isInvalid,
  });

/** Splits a secret into groups of four characters, which are easier to type. */
const inGroups = (secret: string): string => secret.replace(/(.{4})(?=.)/g, '$1 ');
