import { Keyring } from '../crypto/keyring.js';
import { escapeHtml, renderMail } from './mail-templates.js';

const keyring = new Keyring(['k3v9-Qw7xZ1pLm5TnB8yRc2fHs6dJg4aUoE0i']);

const render = (projectName: string, id = 'm1') =>
  renderMail(
    {
      id: 'm1',
      kind: 'verify-email',
      recipient: 'ada@example.com',
      parameters: keyring.encrypt('mail-parameters', id, JSON.stringify({ projectName, token: 'tok_123' })),
    },
    keyring,
    'https://auth.example.com',
  );

describe('renderMail', () => {
  it('EV-05: the link begins with the configured public URL', () => {
    const mail = render('Shop');
    expect(mail.link).toBe('https://auth.example.com/verify-email?token=tok_123');
    expect(mail.text).toContain(mail.link);
    expect(mail.html).toContain(`href="${mail.link}"`);
    expect(mail.to).toBe('ada@example.com');
  });

  it('a project name cannot write HTML', () => {
    const { html, text } = render('<img src=x onerror="alert(1)"> & \'Sons\'');
    expect(html).not.toContain('<img');
    expect(html).toContain('&#60;img src=x onerror=&#34;alert(1)&#34;&#62; &#38; &#39;Sons&#39;');
    expect(text).toContain('<img');
  });

  it('parameters cannot be moved to another mail', () => {
    expect(() => render('Shop', 'm2')).toThrow();
  });
});

describe('escapeHtml', () => {
  it('leaves everything else alone', () => {
    expect(escapeHtml('Ünï©ode 🦄 /=`')).toBe('Ünï©ode 🦄 /=`');
    expect(escapeHtml(`&<>"'`)).toBe('&#38;&#60;&#62;&#34;&#39;');
  });
});
