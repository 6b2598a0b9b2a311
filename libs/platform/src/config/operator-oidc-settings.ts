import { operatorRoles, type RoleMapping } from '@gatehouse/domain';
import * as setting from './setting.js';

const parseMapping = (entry: string): RoleMapping | null => {
  const [, name, value] = /^([a-z]+)=(.+)$/.exec(entry) ?? [];
  const role = operatorRoles.find((each) => each === name);
  return role && value ? { role, value: value.trim() } : null;
};

/** The settings for operator single sign-on. */
export const operatorOidcSettings = {
  OPERATOR_OIDC_ISSUER: setting.baseUrl({
    doc: 'Issuer of the OpenID Provider with which operators can sign in, such as https://login.example.com; https in production. Requires OPERATOR_OIDC_CLIENT_ID and OPERATOR_OIDC_ROLES. The redirect URI is <PUBLIC_URL>/operator/v1/oidc/callback.',
    fallback: null,
  }),
  OPERATOR_OIDC_CLIENT_ID: setting.text({
    doc: "Client ID of Gatehouse at the operators' OpenID Provider.",
    fallback: null,
  }),
  OPERATOR_OIDC_CLIENT_SECRET: setting.text({
    doc: "Client secret of Gatehouse at the operators' OpenID Provider. If it is not set, Gatehouse is a public client.",
    fallback: null,
    secret: true,
  }),
  OPERATOR_OIDC_SCOPES: setting.list(
    { doc: 'Requested scopes, separated by commas.', fallback: ['openid', 'email', 'profile'] },
    (entry) => (/^[!#-[\]-~]+$/.test(entry) ? null : 'must be a list of scopes such as openid,email,profile'),
  ),
  OPERATOR_OIDC_ONLY: setting.onOff({
    doc: 'Require operators to sign in with the OpenID Provider. If on, requests to sign in with a password, to change one, or to invite operators return single_sign_on_required. Links from npm run gatehouse -- operator-link still work. Requires OPERATOR_OIDC_ISSUER.',
    fallback: false,
  }),
  OPERATOR_OIDC_LABEL: setting.text({
    doc: "Name of the operators' OpenID Provider on the sign-in screen.",
    fallback: 'single sign-on',
  }),
  OPERATOR_OIDC_ROLE_CLAIM: setting.text({
    doc: "Claim that contains an operator's groups or roles, such as groups or realm_access.roles.",
    fallback: 'groups',
  }),
  OPERATOR_OIDC_ROLES: setting.list(
    {
      doc: 'Operator roles, each with the value of OPERATOR_OIDC_ROLE_CLAIM that grants it, such as admin=gatehouse-admins,operator=support. The highest matching role applies. * matches everyone who can sign in with the provider. Operators without a role cannot sign in.',
      fallback: [],
    },
    (entry) =>
      parseMapping(entry)
        ? null
        : 'must be a list such as admin=gatehouse-admins,operator=support,viewer=employees',
  ),
  OPERATOR_OIDC_ORGANIZATIONS_CLAIM: setting.text({
    doc: 'Claim that contains the ids or slugs of the organizations to which an operator is limited, or * for the entire installation. If it is set, operators without the claim cannot sign in. If it is not set, admins set limits in the console.',
    fallback: null,
  }),
};

type OidcValues = {
  [Name in keyof typeof operatorOidcSettings]: (typeof operatorOidcSettings)[Name] extends setting.Setting<
    infer T
  >
    ? T
    : never;
};

/** The operator single sign-on configuration. */
export interface OperatorOidcConfig {
  issuer: string;
  clientId: string;
  clientSecret: string | null;
  scopes: string[];
  label: string;
  /** True if operators can sign in only with the provider. */
  isRequired: boolean;
  roleClaim: string;
  roles: RoleMapping[];
  organizationsClaim: string | null;
}

/** Returns the problems with the settings for operator single sign-on. */
export function operatorOidcProblems(values: OidcValues, production: boolean): string[] {
  const { OPERATOR_OIDC_ISSUER: issuer, OPERATOR_OIDC_CLIENT_ID: clientId } = values;
  if (!issuer) {
    const hasOtherSettings = clientId ?? values.OPERATOR_OIDC_CLIENT_SECRET ?? values.OPERATOR_OIDC_ROLES[0];
    return [
      ...(hasOtherSettings ? ['The settings OPERATOR_OIDC_* require OPERATOR_OIDC_ISSUER'] : []),
      // With OPERATOR_OIDC_ONLY and no provider, no operator could sign in.
      ...(values.OPERATOR_OIDC_ONLY ? ['OPERATOR_OIDC_ONLY requires OPERATOR_OIDC_ISSUER'] : []),
    ];
  }
  return [
    ...(clientId ? [] : ['OPERATOR_OIDC_ISSUER requires OPERATOR_OIDC_CLIENT_ID']),
    ...(values.OPERATOR_OIDC_ROLES.length > 0 ? [] : ['OPERATOR_OIDC_ISSUER requires OPERATOR_OIDC_ROLES']),
    ...(values.OPERATOR_OIDC_SCOPES.includes('openid') ? [] : ['OPERATOR_OIDC_SCOPES must contain openid']),
    ...(production && !issuer.startsWith('https://')
      ? ['OPERATOR_OIDC_ISSUER must start with https:// in production']
      : []),
  ];
}

/** Returns the operator single sign-on configuration, or null if it is off. */
export function operatorOidcConfig(values: OidcValues): OperatorOidcConfig | null {
  const { OPERATOR_OIDC_ISSUER: issuer, OPERATOR_OIDC_CLIENT_ID: clientId } = values;
  if (!issuer || !clientId) return null;
  return {
    issuer,
    clientId,
    clientSecret: values.OPERATOR_OIDC_CLIENT_SECRET,
    scopes: values.OPERATOR_OIDC_SCOPES,
    label: values.OPERATOR_OIDC_LABEL,
    isRequired: values.OPERATOR_OIDC_ONLY,
    roleClaim: values.OPERATOR_OIDC_ROLE_CLAIM,
    roles: values.OPERATOR_OIDC_ROLES.flatMap((entry) => parseMapping(entry) ?? []),
    organizationsClaim: values.OPERATOR_OIDC_ORGANIZATIONS_CLAIM,
  };
}
