import { listScreens } from '../support/console-screens.js';
import { PASSWORD, type TestInstance } from '../support/test-instance.js';
import { OperatorClient } from '../support/operator-client.js';
import { createOperatorLink } from '../support/run-gatehouse.js';
import { totpCode } from '../support/totp.js';
import type { Camera } from './camera.js';
import type { FeaturedRecords } from './seed-instance.js';
import { operatorRequest } from './sample-people.js';

/** The screens in the README, in one variant. */
const README_SCREENS = ['overview', 'dead-letters', 'delivery'];
const README_FOLDER = 'docs/images';
const README_VARIANT = '1280-light';

/** Takes a full-page screenshot of every screen. @param chosen the records to show. Default: the newest */
export async function takeScreens(
  camera: Camera,
  instance: TestInstance,
  kind: string,
  chosen?: FeaturedRecords,
): Promise<void> {
  for (const { name, path } of await listScreens(instance)) {
    await camera.go(chosen ? featuredPath(name, path, chosen) : path);
    await camera.take(`${kind}-${name}`, true);
    if (chosen && camera.suffix === README_VARIANT && README_SCREENS.includes(name))
      await camera.takeSmall(`${README_FOLDER}/${name}.png`);
  }
}

function featuredPath(name: string, path: string, chosen: FeaturedRecords): string {
  // For example, "customer-sessions" is a tab of "customer".
  const record = chosen[name.split('-')[0] as keyof FeaturedRecords] as string | undefined;
  return record ? path.replace(/^(\/[a-z-]+\/)[^?]+/, `$1${record}`) : path;
}

/** Takes dialog screenshots. */
export async function takeDialogs(camera: Camera, chosen: FeaturedRecords): Promise<void> {
  const { page } = camera;
  const press = (name: string | RegExp) => page.getByRole('button', { name }).first().click();
  await camera.go('/');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search' }).fill('nord');
  await page.getByRole('option', { name: /Nordwind/ }).waitFor();
  await camera.take('dialog-palette');

  await camera.go(`/dead-letters?status_class=5xx`);
  await press('Redeliver all matching');
  await page
    .getByRole('dialog')
    .getByLabel(/Reason/)
    .fill('Their proxy is repaired');
  await camera.take('dialog-redelivery');

  await camera.go(`/projects/${chosen.project}?tab=providers`);
  await press('Add provider');
  await page.getByRole('dialog').getByLabel('Client ID', { exact: true }).waitFor();
  await camera.take('dialog-add-provider');

  await camera.go(`/projects/${chosen.project}?tab=keys`);
  await press('Create key');
  await page.getByRole('dialog').getByLabel(/Name/).first().fill('Inventory');
  await camera.take('dialog-new-key');
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
  await page.getByText('Save this value now').waitFor();
  await camera.take('dialog-secret-once');
}

/** Takes screenshots of a sign-in with an authenticator and of an accepted invitation. */
export async function takeSignIn(
  camera: Camera,
  instance: TestInstance,
  operator: OperatorClient,
): Promise<void> {
  const { page } = camera;
  const submit = async (fields: Record<string, string>): Promise<void> => {
    for (const [name, value] of Object.entries(fields)) await page.locator(`input[name=${name}]`).fill(value);
    await page.locator('button[type=submit]').click();
  };
  const waitForHeading = (name: string) => page.getByRole('heading', { name }).waitFor();
  const { email, password } = instance.credentials.operator;
  await camera.go('/sign-in');
  await camera.take('sign-in-password');
  await submit({ username: email, password });
  await waitForHeading('Two-factor authentication');
  await camera.take('sign-in-second-factor');

  const invited = { email: `mara.${camera.suffix}@nordwind.example`, role: 'operator' };
  const { invitationUrl } = await operatorRequest(operator, 'POST', '/operators', invited);
  await page.context().clearCookies();
  const { pathname, hash } = new URL(invitationUrl as string);
  await camera.go(pathname.replace('/console', '') + hash);
  await camera.take('sign-in-invitation');
  await page.locator('input[type=password]').first().fill(PASSWORD);
  await page.locator('button[type=submit]').click();
  await waitForHeading('Set up two-factor authentication');
  await camera.take('sign-in-enrollment', true);
  const secret = (await page.locator('code').textContent())!.replaceAll(/\s/g, '');
  await submit({ code: totpCode(secret) });
  await waitForHeading('Save your recovery codes');
  await camera.take('sign-in-recovery-codes');
}

/** Takes screenshots of setting up an instance without operators. */
export async function takeSetup(camera: Camera, instance: TestInstance): Promise<void> {
  await camera.go('/sign-in');
  await camera.take('empty-sign-in');
  await camera.go(`/setup${(await createOperatorLink(instance)).hash}`);
  await camera.take('empty-setup');
}

/** Creates the first operator in an instance without operators. */
export async function createFirstOperator(instance: TestInstance): Promise<OperatorClient> {
  const client = new OperatorClient(instance);
  const token = (await createOperatorLink(instance)).hash.slice('#token='.length);
  const body = { token, email: 'mara.lind@nordwind.example', name: 'Mara Lind' };
  await operatorRequest(client, 'POST', '/setup', { ...body, password: PASSWORD });
  await client.enroll();
  return client;
}
