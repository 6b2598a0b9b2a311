import type { ImportSource } from './source.js';
import { auth0 } from './sources/auth0.js';
import { betterAuth } from './sources/better-auth.js';
import { clerk } from './sources/clerk.js';
import { cognito } from './sources/cognito.js';
import { firebase } from './sources/firebase.js';
import { gatehouse } from './sources/gatehouse.js';
import { keycloak } from './sources/keycloak.js';
import { kratos } from './sources/kratos.js';
import { logto } from './sources/logto.js';
import { supabase } from './sources/supabase.js';
import { supertokens } from './sources/supertokens.js';
import { wordpress } from './sources/wordpress.js';

/** The systems from which customers can be imported. The first one is the default. */
export const sources: readonly ImportSource[] = [
  gatehouse,
  auth0,
  betterAuth,
  clerk,
  cognito,
  firebase,
  keycloak,
  kratos,
  logto,
  supabase,
  supertokens,
  wordpress,
];
