import { Button, Fieldset, Group } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { SecondFactorNotice } from '../session/second-factor-notice';
import { useSession } from '../session/session';
import { api, unwrap } from '../http/client';
import { toProblem, type Problem } from '../http/problem';
import { useApiMutation } from '../http/queries';
import { ActionDialog } from '../components/action-dialog';
import { Icon } from '../components/icon';
import type { CreatedKey } from './api-key';
import { isComplete, newDraft, toBody, type KeyDraft } from './key-draft';
import { KeyDraftFields } from './key-draft-fields';
import { NewKeys } from './new-keys';
import type { Project } from './use-project-form';

/** Maximum number of keys that are created at once. */
const MAX_DRAFTS = 10;

interface CreateKeysProps {
  project: Project;
  /** The keys that were created in this dialog. */
  created: CreatedKey[];
  onClose: () => void;
  onCreated: (key: CreatedKey) => void;
}

/**
 * Renders the dialog that creates one or more keys. If some are rejected, it shows the values of the created keys and
 * keeps the rejected drafts, so that they can be corrected.
 */
export function CreateKeys({ project, created, onClose, onCreated }: CreateKeysProps): ReactNode {
  const { hasSecondFactor } = useSession();
  const [drafts, setDrafts] = useState<KeyDraft[]>([newDraft(0)]);
  const [problems, setProblems] = useState<Record<number, Problem>>({});
  const create = useApiMutation(
    (draft: KeyDraft) =>
      unwrap(
        api.POST('/operator/v1/projects/{projectId}/api-keys', {
          params: { path: { projectId: project.id } },
          body: toBody(draft),
        }),
      ),
    '/operator/v1/projects/{projectId}/api-keys',
  );
  const isSingle = drafts.length === 1;
  const nextId = Math.max(...drafts.map(({ id }) => id)) + 1;
  const change = (id: number, changes: Partial<KeyDraft>): void =>
    setDrafts(drafts.map((draft) => (draft.id === id ? { ...draft, ...changes } : draft)));

  /** Creates the keys one after the other, because the first request may require reauthentication. */
  const submit = async (): Promise<void> => {
    const rejected: [KeyDraft, Problem][] = [];
    for (const draft of drafts) {
      try {
        onCreated(await create.mutateAsync(draft));
      } catch (error) {
        rejected.push([draft, toProblem(error)]);
      }
    }
    if (rejected.length === 0) return;
    setDrafts(rejected.map(([draft]) => draft));
    setProblems(Object.fromEntries(rejected.map(([{ id }, problem]) => [id, problem])));
    throw rejected[0]![1];
  };

  return (
    <ActionDialog
      open
      size={isSingle ? undefined : 'lg'}
      onClose={onClose}
      title={isSingle ? 'Create API key' : 'Create API keys'}
      confirmLabel={isSingle ? 'Create key' : `Create ${drafts.length} keys`}
      cancelLabel={created.length > 0 ? 'Close' : undefined}
      disabled={!hasSecondFactor || !drafts.every(isComplete)}
      onConfirm={submit}
    >
      <SecondFactorNotice />
      {created.length > 0 && <NewKeys projectId={project.id} keys={created} />}
      {drafts.map((draft, index) => {
        const fields = (
          <KeyDraftFields
            draft={draft}
            onChange={(changes) => change(draft.id, changes)}
            errors={problems[draft.id]?.fields ?? {}}
          />
        );
        if (isSingle) return <div key={draft.id}>{fields}</div>;
        return (
          <Fieldset key={draft.id} legend={`Key ${index + 1}`}>
            {fields}
            <Group justify="flex-end" mt="sm">
              <Button
                size="xs"
                variant="subtle"
                color="gray"
                leftSection={<Icon name="trash" size={14} />}
                onClick={() => setDrafts(drafts.filter(({ id }) => id !== draft.id))}
              >
                Remove key {index + 1}
              </Button>
            </Group>
          </Fieldset>
        );
      })}
      <Group>
        <Button
          size="xs"
          variant="default"
          leftSection={<Icon name="plus" size={14} />}
          disabled={drafts.length >= MAX_DRAFTS}
          onClick={() => setDrafts([...drafts, newDraft(nextId, missingType(drafts))])}
        >
          Add another key
        </Button>
      </Group>
    </ActionDialog>
  );
}

/** Returns the type that the next key should have, because an application needs both a secret and a publishable key. */
const missingType = (drafts: KeyDraft[]): Partial<KeyDraft> => ({
  type: drafts.some(({ type }) => type === 'publishable') ? 'secret' : 'publishable',
});
