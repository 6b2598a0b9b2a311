import { Alert, Button, Paper, Stack, Text, Title } from '@mantine/core';
import { useEffect, useRef, type FormEvent, type ReactNode } from 'react';
import { useBeforeUnload, useBlocker } from 'react-router';
import { useCan } from '../session/roles';
import { ActionDialog } from '../components/action-dialog';
import { Icon } from '../components/icon';
import { ProblemAlert } from '../components/problem-alert';
import { formatValue, isStale, SavedChanges, saveLabel } from '../components/saved-changes';
import { formatDuration } from '../components/time';
import { fullProjectLabels } from './project-labels';
import { MailFields } from './mail-fields';
import { ProjectWarnings } from './provider-warnings';
import { useProjectForm, type Project, type ProjectForm } from './use-project-form';
import { LimitFields } from './limit-fields';
import { MailLimitFields } from './mail-limit-fields';
import { PasskeyFields } from './passkey-fields';
import { SecondFactorFields } from './second-factor-fields';
import { BrandingFields, GeneralFields, PageFields, PasswordFields } from './settings-fields';
import classes from './settings.module.css';
import { SignInFields } from './sign-in-fields';
import { TokenFields } from './token-fields';

const sections: {
  title: string;
  description: string;
  Fields: (props: { form: ProjectForm }) => ReactNode;
}[] = [
  { title: 'General', description: 'The name of the project.', Fields: GeneralFields },
  {
    title: 'Origins and URLs',
    description: 'Who can call the API, and where links point.',
    Fields: PageFields,
  },
  {
    title: 'Registration and sign-in',
    description: 'How customers sign in, and rules for new customers.',
    Fields: SignInFields,
  },
  { title: 'Passkeys', description: 'Where customers can use passkeys.', Fields: PasskeyFields },
  {
    title: 'Second factors',
    description:
      'Whether sign-ins require an authenticator app. The customer page can require it for individual customers.',
    Fields: SecondFactorFields,
  },
  { title: 'Tokens and sessions', description: 'Lifetime and content of tokens.', Fields: TokenFields },
  {
    title: 'Passwords',
    description: 'Requirements for new passwords, and how passwords are hashed.',
    Fields: PasswordFields,
  },
  { title: 'Branding', description: 'Appearance of hosted pages and emails.', Fields: BrandingFields },
  { title: 'Email', description: 'Language and sender of the emails of this project.', Fields: MailFields },
  {
    title: 'Email limits',
    description: 'Emails per hour. Further emails are dropped and listed under Emails.',
    Fields: MailLimitFields,
  },
  {
    title: 'Rate limits',
    description: 'Requests from customers. Further requests are rejected with the name of the limit.',
    Fields: LimitFields,
  },
];

/** Renders all settings of a project. Only admins can change them. */
export function ProjectSettings({ project }: { project: Project }): ReactNode {
  const canEdit = useCan('admin') && !project.archivedAt;
  const form = useProjectForm(project, !canEdit);
  const element = useRef<HTMLFormElement>(null);
  useEffect(() => {
    // Focuses the first invalid field, because the page is long.
    if (form.rejectedAt) element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [form.rejectedAt]);
  const problem = useRef<HTMLDivElement>(null);
  useEffect(() => {
    void problem.current?.scrollIntoView({ block: 'center' });
  }, [form.problem]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (form.changeCount > 0) form.save();
  };
  return (
    <>
      <form ref={element} onSubmit={submit} noValidate>
        <Stack>
          {!canEdit && <ReadOnlyNotice isArchived={project.archivedAt !== null} />}
          <ProjectWarnings project={project} />
          {sections.map(({ title, description, Fields }) => (
            <Paper key={title} component="section" aria-label={title} className={classes.section}>
              <div>
                <Title order={2}>{title}</Title>
                <Text c="dimmed">{description}</Text>
              </div>
              <div className={classes.fields}>
                <Fields form={form} />
              </div>
            </Paper>
          ))}
          <SavedChanges
            edits={form.edits}
            labels={fullProjectLabels}
            format={formatField}
            problem={form.problem}
          />
          {form.problem && !isStale(form.problem) && (
            <div ref={problem}>
              <ProblemAlert error={form.problem} />
            </div>
          )}
          {form.changeCount > 0 && <SaveBar form={form} />}
        </Stack>
      </form>
      {/* Outside the form, because a dialog's submit event would bubble up to it. */}
      <UnsavedChangesDialog isChanged={form.changeCount > 0} />
    </>
  );
}

/** Formats a field's value. Lifetimes are in seconds. */
const formatField = (field: string, value: unknown): string =>
  field.endsWith('Ttl') && typeof value === 'number' ? formatDuration(value * 1000) : formatValue(value);

function ReadOnlyNotice({ isArchived }: { isArchived: boolean }): ReactNode {
  return (
    <Alert color="gray" icon={<Icon name="info" size={20} />}>
      {isArchived ? 'An archived project cannot be changed.' : 'Only admins can change these settings.'}
    </Alert>
  );
}

function SaveBar({ form }: { form: ProjectForm }): ReactNode {
  return (
    <div className={classes.bar} role="region" aria-label="Unsaved changes">
      <Text fw={600} style={{ flex: 1 }}>
        {form.changeCount === 1 ? '1 unsaved change' : `${form.changeCount} unsaved changes`}
      </Text>
      <Button variant="default" disabled={form.isSaving} onClick={form.discard}>
        Discard changes
      </Button>
      <Button type="submit" loading={form.isSaving}>
        {saveLabel(form.edits)}
      </Button>
    </div>
  );
}

/** Renders a dialog that requests confirmation before unsaved changes are lost. */
function UnsavedChangesDialog({ isChanged }: { isChanged: boolean }): ReactNode {
  const blocker = useBlocker(isChanged);
  useBeforeUnload((event) => isChanged && event.preventDefault());
  return (
    <ActionDialog
      open={blocker.state === 'blocked'}
      onClose={() => blocker.reset?.()}
      title="Leave without saving?"
      confirmLabel="Leave"
      danger
      // Never resolves: after a resolved action the dialog closes, which would cancel the navigation.
      onConfirm={() => new Promise(() => blocker.proceed?.())}
    >
      <Text>Your unsaved changes to these settings will be lost. This cannot be undone.</Text>
    </ActionDialog>
  );
}
