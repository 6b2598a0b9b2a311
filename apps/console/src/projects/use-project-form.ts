import { useState } from 'react';
import { api, unwrap, type Schemas } from '../http/client';
import type { Problem } from '../http/problem';
import { useApiMutation } from '../http/queries';
import { editedSince } from '../components/edited-since';
import { toastSuccess } from '../components/toast';

export type Project = Schemas['ProjectResponse'];
type Settings = Schemas['ProjectSettingsResponse'];

/** The settings without groups: `branding.color` is a key. */
type FlatSettings = Omit<
  Settings,
  'signIn' | 'legacySignIn' | 'passkeys' | 'branding' | 'mail' | 'mailLimits' | 'limits'
> & {
  /** null: no previous system. */
  'legacySignIn.url': string | null;
  /** null: unchanged, because the API never returns it. */
  'legacySignIn.secret': string | null;
} & {
  [K in keyof Settings['signIn'] as `signIn.${K}`]: Settings['signIn'][K];
} & {
  'passkeys.rpId': string | null;
  'passkeys.rpName': string | null;
  'passkeys.origins': string[];
} & {
  [K in keyof Settings['branding'] as `branding.${K}`]: Settings['branding'][K];
} & { [K in keyof Settings['mail'] as `mail.${K}`]: Settings['mail'][K] } & {
  [K in keyof Settings['mailLimits'] as `mailLimits.${K}`]: Settings['mailLimits'][K];
} & { [K in keyof Settings['limits'] as `limits.${K}`]: Settings['limits'][K] };

/** The editable fields of a project, as used in the form. */
export type ProjectFields = FlatSettings & { name: string };

type Key = keyof ProjectFields;

export interface ProjectForm {
  values: ProjectFields;
  setValue: <K extends Key>(key: K, value: ProjectFields[K]) => void;
  /** Returns the validation error of the API for a field. */
  fieldError: (key: Key) => string | undefined;
  /** The error of a rejected save without field errors. */
  problem: Problem | null;
  isReadOnly: boolean;
  environment: Project['environment'];
  isSaving: boolean;
  /** Time at which the last save was sent if the API rejected its fields, in ms since 1970; otherwise 0. */
  rejectedAt: number;
  /** Number of fields that differ from the saved values. */
  changeCount: number;
  save: () => void;
  discard: () => void;
}

/** Returns the fields of a project with the edits applied. `save` sends only the changed fields. */
export function useProjectForm(project: Project, isReadOnly: boolean): ProjectForm {
  const [edits, setEdits] = useState<Partial<ProjectFields>>({});
  const current = toFields(project);
  const changed = Object.fromEntries(
    Object.entries(edits).filter(([key, value]) => !isSame(value, current[key as Key])),
  ) as Partial<ProjectFields>;
  const send = useApiMutation(
    () =>
      unwrap(
        api.PATCH('/operator/v1/projects/{projectId}', {
          params: { path: { projectId: project.id } },
          body: toPatch(changed, { ...current, ...edits }),
        }),
      ),
    '/operator/v1/projects',
  );
  const fieldErrors = send.error?.fields ?? {};
  const discard = (): void => {
    setEdits({});
    send.reset();
  };
  return {
    values: { ...current, ...edits },
    setValue: (key, value) => setEdits((before) => ({ ...before, [key]: value })),
    fieldError: (key) => fieldErrors[key === 'name' ? key : `settings.${key}`],
    problem: send.error && Object.keys(fieldErrors).length === 0 ? send.error : null,
    isReadOnly,
    environment: project.environment,
    isSaving: send.isPending,
    rejectedAt: Object.keys(fieldErrors).length > 0 ? send.submittedAt : 0,
    changeCount: Object.keys(changed).length,
    save: () => {
      if (send.isPending) return;
      send.mutate(undefined, {
        onSuccess: () => {
          setEdits((latest) => editedSince(edits, latest));
          toastSuccess('Changes saved. They take effect immediately.');
        },
      });
    },
    discard,
  };
}

const toFields = ({
  name,
  settings: { signIn, legacySignIn, passkeys, branding, mail, mailLimits, limits, ...rest },
}: Project): ProjectFields => ({
  name,
  ...rest,
  'signIn.password': signIn.password,
  'signIn.emailCode': signIn.emailCode,
  'signIn.passkey': signIn.passkey,
  'signIn.allowSignUp': signIn.allowSignUp,
  'legacySignIn.url': legacySignIn?.url ?? null,
  'legacySignIn.secret': null,
  'passkeys.rpId': passkeys?.rpId ?? null,
  'passkeys.rpName': passkeys?.rpName ?? null,
  'passkeys.origins': passkeys?.origins ?? [],
  'branding.displayName': branding.displayName,
  'branding.logoUrl': branding.logoUrl,
  'branding.color': branding.color,
  'mail.fromName': mail.fromName,
  'mail.replyTo': mail.replyTo,
  'mailLimits.signUp': mailLimits.signUp,
  'mailLimits.passwordReset': mailLimits.passwordReset,
  'mailLimits.emailChange': mailLimits.emailChange,
  'mailLimits.invitation': mailLimits.invitation,
  'mailLimits.signIn': mailLimits.signIn,
  'mailLimits.perRecipient': mailLimits.perRecipient,
  'limits.login': limits.login,
  'limits.register': limits.register,
  'limits.verify': limits.verify,
  'limits.reset': limits.reset,
  'limits.forgot': limits.forgot,
  'limits.resend': limits.resend,
  'limits.emailCode': limits.emailCode,
  'limits.emailCodeVerify': limits.emailCodeVerify,
  'limits.challenge': limits.challenge,
  'limits.reauthenticate': limits.reauthenticate,
  'limits.passkey': limits.passkey,
  'limits.passkeyOptions': limits.passkeyOptions,
  'limits.oauth': limits.oauth,
  'limits.exchange': limits.exchange,
  'limits.options': limits.options,
  'limits.signInPage': limits.signInPage,
  'limits.refresh': limits.refresh,
  'limits.failedLogin': limits.failedLogin,
  'limits.wrongEmailCode': limits.wrongEmailCode,
  'limits.failedSecondFactor': limits.failedSecondFactor,
  'limits.failureWindow': limits.failureWindow,
});

/** Returns the merge patch (RFC 7396) of the changed fields. @param values all fields, with the changes */
function toPatch(changed: Partial<ProjectFields>, values: ProjectFields): Schemas['UpdateProjectRequest'] {
  const settings: Record<string, unknown> = {};
  const { name, ...rest } = changed;
  for (const [key, value] of Object.entries(rest)) {
    const [group = '', member] = key.split('.');
    if (member === undefined) settings[group] = value;
    else settings[group] = { ...(settings[group] as object), [member]: value };
  }
  if (changed['legacySignIn.url'] === null) settings['legacySignIn'] = null;
  // Passkeys without a domain are null as a whole.
  const wasCleared = 'passkeys.rpId' in changed || 'passkeys.origins' in changed;
  if (wasCleared && values['passkeys.rpId'] === null && values['passkeys.origins'].length === 0)
    settings['passkeys'] = null;
  return {
    ...(name !== undefined && { name: name.trim() }),
    ...(Object.keys(rest).length > 0 && { settings }),
  };
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
