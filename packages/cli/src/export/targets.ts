import type { ExportTarget } from './target.js';
import { auth0 } from './targets/auth0.js';
import { keycloak } from './targets/keycloak.js';
import { kratos } from './targets/kratos.js';
import { supabase } from './targets/supabase.js';

/** The systems to which customers can be exported. */
export const targets: readonly ExportTarget[] = [auth0, keycloak, kratos, supabase];
