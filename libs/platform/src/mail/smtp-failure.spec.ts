import { smtpFailure } from './smtp-failure.js';

const smtpError = (command: string, responseCode: number, response = `${responseCode} 5.0.0 No`) =>
  Object.assign(new Error(response), { code: 'EENVELOPE', command, responseCode, response });

it.each<[string, unknown, string | null, boolean]>([
  ['an unknown recipient', smtpError('RCPT TO', 550), '550 5.0.0 No', true],
  ['rejected content', smtpError('DATA', 554), '554 5.0.0 No', true],
  ['a full mailbox', smtpError('RCPT TO', 452), '452 5.0.0 No', false],
  ['a rejected sender', smtpError('MAIL FROM', 550), '550 5.0.0 No', false],
  [
    'several lines with control characters',
    smtpError('RCPT TO', 550, '550-One\r\n550 \u001b[31mTwo'),
    '550-One 550 [31mTwo',
    true,
  ],
  ['a long response', smtpError('RCPT TO', 550, '5'.repeat(600)), '5'.repeat(500), true],
  [
    'a rejected password, whose response may contain the user name',
    Object.assign(smtpError('AUTH PLAIN', 535, '535 user'), { code: 'EAUTH' }),
    'EAUTH',
    false,
  ],
  [
    'a refused connection',
    Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }),
    'ECONNREFUSED',
    false,
  ],
  ['an error without a code', new Error('cannot render'), null, false],
])('interprets %s', (_, error, response, isPermanent) =>
  expect(smtpFailure(error)).toEqual({ response, isPermanent }),
);
