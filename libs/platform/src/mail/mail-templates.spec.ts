import { Keyring } from '../crypto/keyring.js';
import { customerMailKinds, mailKinds, mailPath, mailVariablesOf, type MailKind } from './mail-kinds.js';
import { renderMail, sealMailParameters, type MailParameters } from './mail-templates.js';
import { builtInMailText } from './mail-texts.js';
import { operatorNoticeActions, type OperatorNotice } from './operator-notices.js';

const keyring = new Keyring(['k3v9-Qw7xZ1pLm5TnB8yRc2fHs6dJg4aUoE0i']);

const notice: OperatorNotice = {
  action: 'role_changed',
  actor: 'grace@example.com',
  target: 'ada@example.com',
  ip: '203.0.113.5',
  role: 'viewer',
  previousRole: 'admin',
};

const render = (kind: MailKind, parameters: Partial<MailParameters> = {}, sealedFor = 'm1') => {
  const sealed = sealMailParameters(keyring, sealedFor, {
    projectName: 'Shop',
    ...(mailPath(kind) ? { token: 'tok_123' } : {}),
    ...(kind === 'operator-notice' ? { notice } : {}),
    ...parameters,
  });
  const mail = { id: 'm1', kind, recipient: 'ada@example.com', parameters: sealed };
  return renderMail(mail, keyring, 'https://auth.example.com');
};

const linked = mailKinds.filter((kind) => mailPath(kind));
const branding = {
  displayName: 'The Shop',
  logoUrl: 'https://cdn.example.com/l.png?a=1&b=2',
  color: '#ffd400',
};

/** Returns an HTML document's visible text, with single spaces. */
const visible = (html: string): string =>
  html
    .replace(/<head>.*<\/head>/s, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replace(/\s+/g, ' ');

describe.each(mailKinds)('%s', (kind) => {
  it('has the recipient, the project in its subject, and the same content as text and HTML', () => {
    const mail = render(kind, { newEmail: 'new@example.com' });
    expect(mail).toMatchObject({ to: 'ada@example.com', fromName: null, replyTo: null });
    expect(mail.subject).toContain('Shop');
    for (const part of mail.text.trim().split('\n\n')) expect(visible(mail.html)).toContain(part);
  });

  it('has a language, dark mode and one heading, but no script or external style', () => {
    const { html } = render(kind);
    expect(html).toContain('<html lang="en">');
    for (const name of ['color-scheme', 'supported-color-schemes'])
      expect(html).toContain(`<meta name="${name}" content="light dark">`);
    expect(html.match(/<h1/g)).toHaveLength(1);
    expect(html).not.toMatch(/<script|<link|<style|undefined|\[object|<table(?! role="presentation")/);
  });

  it('escapes HTML in names and addresses', () => {
    const evil = '<img src=x onerror="alert(1)"> & \'Sons\'';
    const { html, text } = render(kind, { projectName: evil, newEmail: `"<b>"@example.com` });
    expect(html).not.toMatch(/<img|<b>/);
    expect(html).toContain('&#60;img src=x onerror=&#34;alert(1)&#34;&#62; &#38; &#39;Sons&#39;');
    expect(text).toContain(evil);
  });

  it('EV-06: prevents a project name from injecting a header or a paragraph', () => {
    const breaks = 'Shop\r\nBcc: eve@example.com\n\nOpen https://evil.example\u2028now';
    for (const naming of [{ projectName: breaks }, { branding: { ...branding, displayName: breaks } }]) {
      const mail = render(kind, { ...naming, fromName: breaks });
      expect(mail.subject).toContain('Shop Bcc: eve@example.com Open');
      expect(mail.fromName).toBe('Shop Bcc: eve@example.com Open https://evil.example now');
      expect(mail.text).not.toMatch(/^(Bcc|Open https)/m);
    }
  });
});

describe('the link', () => {
  it.each([
    ['verify-email', '/verify-email?', '24 hours'],
    ['reset-password', '/reset-password?', '1 hour'],
    ['accept-invite', '/accept-invite?', '7 days'],
    ['change-email-current', '/confirm-email-change?', '24 hours'],
    ['change-email-new', '/confirm-email-change?', '24 hours'],
    ['email-code', '/email-sign-in?', '10 minutes'],
    ['operator-invitation', '/console/invitation#', '7 days'],
  ] as const)('EV-05: starts with the configured public URL in %s', (kind, path, validity) => {
    const { link, text, html } = render(kind);
    expect(link).toBe(`https://auth.example.com${path}token=tok_123`);
    expect(text.match(/https?:\S+/g)).toEqual([link]);
    expect(text).toMatch(new RegExp(`(The link|This email) is valid for ${validity}`));
    expect(text).toMatch(/If you did not .+ you can ignore this email/);
    // Once on the button, and once as text.
    expect(html.split(`href="${link}"`)).toHaveLength(3);
    expect(html).toContain(`>${link}</a>`);
  });

  it('opens the page of the project, with its other parameters and its fragment', () => {
    const pageUrl = 'https://shop.example.com/set?a=1&token=old&b=%26#top';
    for (const kind of linked) {
      const { link, html } = render(kind, { pageUrl });
      expect(link).toBe('https://shop.example.com/set?a=1&token=tok_123&b=%26#top');
      expect(html).toContain('href="https://shop.example.com/set?a=1&#38;token=tok_123&#38;b=%26#top"');
    }
    const { link } = render('verify-email', { pageUrl: null });
    expect(link).toBe('https://auth.example.com/verify-email?token=tok_123');
  });

  it('requires a token, and is absent from notices', () => {
    const mail = render('password-changed', { pageUrl: 'https://shop.example.com/x', token: 'tok_123' });
    expect(mail.link).toBeNull();
    expect(mail.text + mail.html).not.toMatch(/href|https?:|tok_123/);
    expect(() => render('reset-password', { token: undefined })).toThrow('reset-password has no token');
    expect(render('email-code', { token: undefined }).link).toBeNull();
  });
});

it('names the new address in both emails, but the old one only in the email to the old address', () => {
  const newEmail = 'new@example.com';
  const [current, next] = [
    render('change-email-current', { newEmail }),
    render('change-email-new', { newEmail }),
  ];
  expect(current.text).toContain('from ada@example.com to new@example.com');
  expect(next.text).toContain(newEmail);
  expect(next.text).not.toContain('ada@example.com');
});

it('states the time and what to do in the notice about a password change', () => {
  const { text } = render('password-changed');
  expect(text).toMatch(/was changed on \w+ \d{1,2}, \d{4} at \d\d:\d\d UTC\./);
  expect(text).toContain('Forgot password');
});

describe('the notice about an action on an operator', () => {
  it.each(operatorNoticeActions)(
    'OP-01: contains the operator, the time and the client IP for %s',
    (action) => {
      const { subject, text, link } = render('operator-notice', { notice: { ...notice, action } });
      expect(subject).toMatch(/^[A-Z][a-z -]+: Shop$/);
      expect(text).toMatch(/ on \w+ \d{1,2}, \d{4} at \d\d:\d\d UTC, from the address 203\.0\.113\.5\./);
      expect(text).toContain('ada@example.com');
      expect(text).not.toMatch(/undefined|https?:/);
      expect(link).toBeNull();
    },
  );

  it('OP-01: contains the actor and both roles, and states if the client IP is unknown', () => {
    expect(render('operator-notice').text).toContain(
      'grace@example.com changed the role of ada@example.com from admin to viewer on ',
    );
    const { text } = render('operator-notice', { notice: { ...notice, ip: null } });
    expect(text).toContain('UTC, from an unknown address.');
  });
});

describe("a project's branding", () => {
  it('replaces the name, adds the logo with alternative text, and adapts the text color', () => {
    const { subject, html } = render('verify-email', { branding });
    expect(subject).toBe('Confirm your email address for The Shop');
    expect(html).toContain('<img src="https://cdn.example.com/l.png?a=1&#38;b=2" alt="The Shop"');
    expect(html).toContain('background:#ffd400;color:#000000;');
    const dark = render('verify-email', { branding: { ...branding, color: '#5b1a8b' } });
    expect(dark.html).toContain('background:#5b1a8b;color:#ffffff;');
  });

  it('appears escaped in attributes, and has no effect if it is invalid', () => {
    const quotes = {
      ...branding,
      displayName: 'x" onerror="alert(1)',
      logoUrl: 'https://a.example/"onload="b',
    };
    expect(render('verify-email', { branding: quotes }).html).toContain(
      '<img src="https://a.example/&#34;onload=&#34;b" alt="x&#34; onerror=&#34;alert(1)" ',
    );
    const invalid = { displayName: null, logoUrl: 'javascript:alert(1)', color: 'red" onclick="alert(1)' };
    const { html } = render('verify-email', { branding: invalid });
    expect(html).not.toMatch(/javascript:|onclick|<img/);
    expect(html).toContain('background:#1d4ed8;color:#ffffff;');
  });

  it('sets the sender name and the reply address', () => {
    const sender = { fromName: 'Shop team', replyTo: 'help@example.com' };
    expect(render('verify-email', sender)).toMatchObject(sender);
    expect(render('verify-email', { fromName: ' \n ' }).fromName).toBeNull();
  });
});

describe('languages', () => {
  const placeholders = (kind: MailKind, language: string) =>
    [...new Set(JSON.stringify(builtInMailText(kind, language)).match(/\{\{.*?\}\}/g))].sort();

  it.each(customerMailKinds)('include German for %s, with the same variables', (kind) => {
    expect(placeholders(kind, 'de')).toEqual(placeholders(kind, 'en'));
    const { subject, text, html } = render(kind, { locale: 'de', newEmail: 'new@example.com' });
    expect(html).toContain('<html lang="de">');
    expect(subject).toContain('Shop');
    expect(`${subject} ${text}`).not.toMatch(/\{\{|\b(the|your|if|you)\b/i);
    if (mailPath(kind))
      expect(text).toMatch(/(Der Link|Diese E-Mail) ist (24 Stunden|1 Stunde|7 Tage|10 Minuten) /);
  });

  it.each(mailKinds)('use only variables that the kind %s has', (kind) => {
    const variables = mailVariablesOf(kind).map((variable) => `{{${variable}}}`);
    expect(variables).toEqual(expect.arrayContaining(placeholders(kind, 'en')));
  });

  it('include only English in emails to operators', () => {
    expect(builtInMailText('operator-invitation', 'de')).toBeNull();
  });

  it('determine the format of times and durations; an unknown language uses English formats', () => {
    const own = { ...builtInMailText('verify-email', 'en')!, paragraphs: ['{{time}}'] };
    const { text } = render('verify-email', { locale: 'xx', text: own });
    expect(text).toMatch(/^\w+ \d{1,2}, \d{4} at \d\d:\d\d UTC\n/);
    expect(text).toContain('24 hours');
    const german = render('password-changed', { locale: 'de' }).text;
    expect(german).toMatch(/am \d{1,2}\. \p{L}+ \d{4} um \d\d:\d\d UTC geändert/u);
  });
});

describe('renderMail', () => {
  it('renders an older row with only a name and a token', () => {
    const old = JSON.stringify({ projectName: 'Shop', token: 'tok_123' });
    const parameters = keyring.encrypt('mail-parameters', 'm1', old);
    const stored = { id: 'm1', kind: 'verify-email', recipient: 'ada@example.com', parameters } as const;
    expect(renderMail(stored, keyring, 'https://auth.example.com')).toEqual(render('verify-email'));
  });

  it('LG-01: decrypts parameters only for the email that they belong to', () => {
    const sealed = sealMailParameters(keyring, 'm1', { projectName: 'Shop', token: 'tok_123' });
    expect(sealed.toString('latin1')).not.toMatch(/Shop|tok_123/);
    expect(() => render('verify-email', {}, 'm2')).toThrow();
  });
});
