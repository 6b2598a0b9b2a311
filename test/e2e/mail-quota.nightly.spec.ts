import { retryWhileRejected } from '../support/retry-while-rejected.js';
import { TestInstance } from '../support/test-instance.js';
import { uniqueEmail } from '../support/unique-email.js';

it("RL-08: requests for unknown addresses do not use up the project's hourly email quota", async () => {
  const instance = await TestInstance.start({ workers: 0, env: { RATE_LIMITS: 'off' } });
  const forgot = (email: string) =>
    retryWhileRejected(() =>
      instance.requestWithPublishableKey('POST', '/api/v1/auth/forgot-password', { email }),
    );
  try {
    for (let sent = 0; sent < 2_000; sent += 50)
      await Promise.all(Array.from({ length: 50 }, () => forgot(uniqueEmail())));
    const email = uniqueEmail();
    await instance.requestWithSecretKey('POST', '/api/v1/customers', { email });
    await forgot(email);
    expect(await instance.sql('SELECT kind FROM mails WHERE recipient = $1', [email])).toEqual([
      { kind: 'reset-password' },
    ]);
  } finally {
    await instance.stop();
  }
});
