/** Path of the script for hosted pages. */
export const PAGE_SCRIPT_PATH = '/sign-in/page.js';

/**
 * Script for hosted pages with forms. It shows the passkey buttons if the browser supports passkeys, and prevents
 * repeated submissions, because the codes and tokens work only once. Everything except passkeys works without the
 * script.
 */
export const pageScript = `'use strict';
const decode = (text) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
const encode = (bytes) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
const withBytes = (list) => (list ?? []).map((each) => ({ ...each, id: decode(each.id) }));

const readOptions = ({ challenge, user, allowCredentials, excludeCredentials, ...rest }) => ({
  ...rest,
  challenge: decode(challenge),
  ...(user ? { user: { ...user, id: decode(user.id) } } : {}),
  allowCredentials: withBytes(allowCredentials),
  excludeCredentials: withBytes(excludeCredentials),
});

const describe = ({ id, rawId, type, response }) => ({
  id,
  rawId: encode(rawId),
  type,
  response: {
    clientDataJSON: encode(response.clientDataJSON),
    ...(response.signature
      ? {
          authenticatorData: encode(response.authenticatorData),
          signature: encode(response.signature),
          ...(response.userHandle ? { userHandle: encode(response.userHandle) } : {}),
        }
      : {
          attestationObject: encode(response.attestationObject),
          transports: response.getTransports?.() ?? [],
        }),
  },
});

const usePasskey = async (area) => {
  const form = area.querySelector('form');
  const response = await fetch(area.dataset.options, { method: 'POST', body: new URLSearchParams(new FormData(form)) });
  if (!response.ok) throw new Error('no options');
  const publicKey = readOptions((await response.json()).options);
  const credential = await navigator.credentials[area.dataset.passkey]({ publicKey });
  form.elements.response.value = JSON.stringify(describe(credential));
  form.submit();
};

for (const area of document.querySelectorAll('[data-passkey]')) {
  if (!window.PublicKeyCredential) continue;
  area.hidden = false;
  const [button, problem] = [area.querySelector('button'), area.querySelector('[role=alert]')];
  area.querySelector('form').addEventListener('submit', (event) => {
    event.preventDefault();
    button.disabled = true;
    problem.hidden = true;
    usePasskey(area).catch(() => {
      problem.hidden = false;
      button.disabled = false;
      button.focus();
    });
  });
}

const setDisabled = (form, isDisabled) => {
  for (const button of form.querySelectorAll('button')) button.disabled = isDisabled;
};
for (const form of document.querySelectorAll('form')) {
  if (form.closest('[data-passkey]')) continue;
  form.addEventListener('submit', (event) => {
    if (form.dataset.submitted) return event.preventDefault();
    form.dataset.submitted = 'true';
    // The buttons are disabled only after the browser has read the form, because a form omits the value of a disabled
    // button.
    setTimeout(() => setDisabled(form, true));
  });
}
addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('form')) {
    delete form.dataset.submitted;
    setDisabled(form, false);
  }
});
`;
