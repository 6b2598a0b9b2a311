import { fillMailText, unknownPlaceholders, type MailText } from './mail-text.js';

const values = {
  project_name: '{{email}} & $1',
  email: 'ada@example.com',
  new_email: 'new@example.com',
  link_validity: '1 hour',
  code: '123456',
  code_validity: '10 minutes',
  time: 'now',
};
const text: MailText = {
  subject: '{{project_name}}: {{ email }}',
  heading: '{{token}} {{constructor}} {{}} {{email',
  paragraphs: ['{{new_email}}', 'none'],
  button: 'Open {{project_name}}',
  linkLabel: null,
  closing: ['{{link_validity}} {{time}}'],
};

it('inserts each value once and unchanged, and nothing else', () => {
  expect(fillMailText(text, values)).toEqual({
    subject: '{{email}} & $1: ada@example.com',
    heading: '{{token}} {{constructor}} {{}} {{email',
    paragraphs: ['new@example.com', 'none'],
    button: 'Open {{email}} & $1',
    linkLabel: null,
    closing: ['1 hour now'],
  });
});

it('returns placeholders that are malformed or not allowed', () => {
  const unknown = (part: string) => unknownPlaceholders(part, ['project_name', 'email']);
  expect(unknown('{{project_name}} {{ email }} { } }} {email} none')).toEqual([]);
  const invalid = [
    '{{new_email}}',
    '{{token}}',
    '{{constructor}}',
    '{{__proto__}}',
    '{{Email}}',
    '{{email.x}}',
  ];
  for (const placeholder of [...invalid, '{{}}', '{{#if x}}', '{{{email}}', '{{email|upper}}', '{{email\n}}'])
    expect(unknown(`a {{email}} ${placeholder} b`)).toEqual([placeholder]);
  expect(unknown('a {{email} b')).toEqual(['{{email} b']);
  expect(unknown('{{'.repeat(50_000))).toEqual(['{{'.repeat(50_000)]);
});
