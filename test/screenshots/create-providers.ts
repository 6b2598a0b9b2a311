import { randomBytes } from 'node:crypto';
import type { OperatorClient } from '../support/operator-client.js';
import { operatorRequest } from './sample-people.js';

/** Creates identity providers in several states for a project. */
export async function createProviders(operator: OperatorClient, projectId: string): Promise<void> {
  const create = (body: object) =>
    operatorRequest(operator, 'POST', `/projects/${projectId}/identity-providers`, {
      clientSecret: randomBytes(24).toString('base64url'),
      ...body,
    });
  await create({ type: 'github', clientId: 'pending', enabled: false });
  await create({
    type: 'oidc',
    slug: 'nordwind',
    name: 'Nordwind staff',
    issuer: 'https://login.nordwind.example/',
    clientId: 'shop',
    allowSignUp: false,
  });
  await create({ type: 'google', clientId: '482093175566-shop.apps.googleusercontent.com' });
}
