import { api, type Schemas } from '../http/client';
import type { Problem } from '../http/problem';
import { useApiUpdate } from '../http/queries';
import { toastSuccess } from '../components/toast';
import { useEdits, type Edits } from '../components/use-edits';

export type Project = Schemas['ProjectResponse'];
type Settings = Schemas['ProjectSettingsResponse'];

/** The groups of settings whose members are all fields in the form. */
type FlatGroup = 'signIn' | 'branding' | 'mail' | 'mailLimits' | 'limits';

/** A group of settings with keys such as `branding.color`. */
type Flat<Group extends FlatGroup> = {
  [K in keyof Settings[Group] & string as `${Group}.${K}`]: Settings[Group][K];
};

/** The settings without groups. */
type FlatSettings = Omit<Settings, FlatGroup | 'legacySignIn' | 'passkeys'> &
  Flat<'signIn'> &
  Flat<'branding'> &
  Flat<'mail'> &
  Flat<'mailLimits'> &
  Flat<'limits'> & {
    /** null if there is no previous system. */
    'legacySignIn.url': string | null;
    /** null to keep the secret. The API never returns it. */
    'legacySignIn.secret': string | null;
    'passkeys.rpId': string | null;
    'passkeys.rpName': string | null;
    'passkeys.origins': string[];
  };

/** A project's editable fields, as used in the form. */
export type ProjectFields = FlatSettings & { name: string };

type Key = keyof ProjectFields;

export interface ProjectForm {
  edits: Edits<ProjectFields>;
  values: ProjectFields;
  setValue: <K extends Key>(key: K, value: ProjectFields[K]) => void;
  /** Returns the API's validation error for a field. */
  fieldError: (key: Key) => string | undefined;
  /** The error from a rejected save without field errors. */
  problem: Problem | null;
  isReadOnly: boolean;
  environment: Project['environment'];
  isSaving: boolean;
  /** The time at which the last save was sent, in ms since 1970, if the API rejected its fields; otherwise 0. */
  rejectedAt: number;
  /** Number of fields that differ from the saved values. */
  changeCount: number;
  save: () => void;
  discard: () => void;
}

/** Returns a project's fields with the edits applied. `save` sends only the changed fields. */
export function useProjectForm(project: Project, isReadOnly: boolean): ProjectForm {
  const edits = useEdits(toFields(project));
  const { values, changed } = edits;
  const send = useApiUpdate(
    project,
    (body: Schemas['UpdateProjectRequest'], header) =>
      api.PATCH('/operator/v1/projects/{projectId}', {
        params: { path: { projectId: project.id }, header },
        body,
      }),
    '/operator/v1/projects',
  );
  const fieldErrors = send.error?.fields ?? {};
  const discard = (): void => {
    edits.discard();
    send.reset();
  };
  return {
    edits,
    values,
    setValue: (key, value) => edits.set({ [key]: value }),
    fieldError: (key) => fieldErrors[key === 'name' ? key : `settings.${key}`],
    problem: send.error && Object.keys(fieldErrors).length === 0 ? send.error : null,
    isReadOnly,
    environment: project.environment,
    isSaving: send.isPending,
    rejectedAt: Object.keys(fieldErrors).length > 0 ? send.submittedAt : 0,
    changeCount: Object.keys(changed).length,
    save: () => {
      if (send.isPending) return;
      send.mutate(toPatch(changed, values), {
        onSuccess: (saved) => {
          edits.settle(toFields(saved));
          toastSuccess('Changes saved. They take effect immediately.');
        },
      });
    },
    discard,
  };
}

/** Returns a group's members under the keys in the form. */
const flatten = <Group extends FlatGroup>(group: Group, members: Settings[Group]): Flat<Group> =>
  Object.fromEntries(
    Object.entries(members).map(([name, value]) => [`${group}.${name}`, value]),
  ) as Flat<Group>;

const toFields = ({
  name,
  settings: { signIn, legacySignIn, passkeys, branding, mail, mailLimits, limits, ...rest },
}: Project): ProjectFields => ({
  name,
  ...rest,
  ...flatten('signIn', signIn),
  'legacySignIn.url': legacySignIn?.url ?? null,
  'legacySignIn.secret': null,
  'passkeys.rpId': passkeys?.rpId ?? null,
  'passkeys.rpName': passkeys?.rpName ?? null,
  'passkeys.origins': passkeys?.origins ?? [],
  ...flatten('branding', branding),
  ...flatten('mail', mail),
  ...flatten('mailLimits', mailLimits),
  ...flatten('limits', limits),
});

/** Returns the merge patch (RFC 7396) for the changed fields. @param values all fields, with the changes */
function toPatch(changed: Partial<ProjectFields>, values: ProjectFields): Schemas['UpdateProjectRequest'] {
  const settings: Record<string, unknown> = {};
  const { name, ...rest } = changed;
  for (const [key, value] of Object.entries(rest)) {
    const [group = '', member] = key.split('.');
    if (member === undefined) settings[group] = value;
    else settings[group] = { ...(settings[group] as object), [member]: value };
  }
  if (changed['legacySignIn.url'] === null) settings['legacySignIn'] = null;
  // Without a domain and origins, `passkeys` itself is null.
  const wasCleared = 'passkeys.rpId' in changed || 'passkeys.origins' in changed;
  if (wasCleared && values['passkeys.rpId'] === null && values['passkeys.origins'].length === 0)
    settings['passkeys'] = null;
  return {
    ...(name !== undefined && { name: name.trim() }),
    ...(Object.keys(rest).length > 0 && { settings }),
  };
}
