import { Alert, Button, Paper, Stack, Text, Title } from '@mantine/core';
import { useEffect, useRef, type FormEvent, type ReactNode } from 'react';
import { useBeforeUnload, useBlocker } from 'react-router';
import { useCan } from '../app/roles';
import { ActionDialog } from '../parts/action-dialog';
import { Icon } from '../parts/icon';
import { ProblemAlert } from '../parts/problem-alert';
import { useProjectForm, type Project, type ProjectForm } from './project-form';
import {
  BrandingFields,
  GeneralFields,
  MailFields,
  PageFields,
  PasswordFields,
  SignInFields,
  TokenFields,
} from './settings-fields';
import classes from './settings.module.css';

const sections: { title: string; about: string; Fields: (props: { form: ProjectForm }) => ReactNode }[] = [
  { title: 'General', about: 'The name of the project.', Fields: GeneralFields },
  { title: 'Origins and URLs', about: 'Who can call the API, and where links point.', Fields: PageFields },
  { title: 'Registration and sign-in', about: 'Rules for new customers.', Fields: SignInFields },
  { title: 'Tokens and sessions', about: 'How long a sign-in stays valid.', Fields: TokenFields },
  { title: 'Passwords', about: 'Requirements for new passwords.', Fields: PasswordFields },
  { title: 'Branding', about: 'Appearance of hosted pages and emails.', Fields: BrandingFields },
  { title: 'Email', about: 'Sender of the emails of this project.', Fields: MailFields },
];

/** Every setting of a project; admins change them, others read them. */
export function ProjectSettings({ project }: { project: Project }): ReactNode {
  const canEdit = useCan('admin') && !project.archivedAt;
  const form = useProjectForm(project, !canEdit);
  const element = useRef<HTMLFormElement>(null);
  useEffect(() => {
    // The page is long: lead to what has to be mended.
    if (form.refusedAt) element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [form.refusedAt]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (form.changes > 0) form.save();
  };
  return (
    <>
      <form ref={element} onSubmit={submit} noValidate>
        <Stack>
          {!canEdit && <ReadOnly isArchived={project.archivedAt !== null} />}
          {sections.map(({ title, about, Fields }) => (
            <Paper key={title} component="section" aria-label={title} className={classes.section}>
              <div>
                <Title order={2}>{title}</Title>
                <Text c="dimmed">{about}</Text>
              </div>
              <div className={classes.fields}>
                <Fields form={form} />
              </div>
            </Paper>
          ))}
          {form.problem && <ProblemAlert error={form.problem} />}
          {form.changes > 0 && <SaveBar form={form} />}
        </Stack>
      </form>
      {/* Outside the form: what is submitted in a dialog would bubble up to it. */}
      <LeaveDialog isChanged={form.changes > 0} />
    </>
  );
}

function ReadOnly({ isArchived }: { isArchived: boolean }): ReactNode {
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
        {form.changes === 1 ? '1 unsaved change' : `${form.changes} unsaved changes`}
      </Text>
      <Button variant="default" disabled={form.isSaving} onClick={form.discard}>
        Discard changes
      </Button>
      <Button type="submit" loading={form.isSaving}>
        Save changes
      </Button>
    </div>
  );
}

/** Asks before what was typed is lost. */
function LeaveDialog({ isChanged }: { isChanged: boolean }): ReactNode {
  const blocker = useBlocker(isChanged);
  useBeforeUnload((event) => isChanged && event.preventDefault());
  return (
    <ActionDialog
      open={blocker.state === 'blocked'}
      onClose={() => blocker.reset?.()}
      title="Leave without saving?"
      confirm="Leave"
      danger
      // Never done: a dialog that is done closes, which would call the leaving off.
      onConfirm={() => new Promise(() => blocker.proceed?.())}
    >
      <Text>Your unsaved changes to these settings will be lost. This cannot be undone.</Text>
    </ActionDialog>
  );
}
