import { Select, Text, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { ActionDialog } from '../components/action-dialog';
import { mailTypes, type MailTemplate, type TemplateId } from './mail-template';

interface AddMailLanguageProps {
  templates: MailTemplate[];
  onClose: () => void;
  /** Called with the template to edit: the existing one if there is one in this language, otherwise a new one. */
  onSelect: (template: TemplateId) => void;
}

/** Renders a dialog that selects the email type and the language of a new template. */
export function AddMailLanguage({ templates, onClose, onSelect }: AddMailLanguageProps): ReactNode {
  const [kind, setKind] = useState<string>('verify-email');
  const [tag, setTag] = useState('');
  const language = canonicalTag(tag.trim());
  const confirm = (): Promise<never> => {
    const candidates = templates.filter((template) => template.kind === kind);
    const { variables } = candidates[0]!;
    const id = { kind: kind as MailTemplate['kind'], language: language!, variables };
    onSelect(candidates.find((template) => template.language === language) ?? id);
    // Never resolves: the editor replaces this dialog, and a resolved promise would close the editor.
    return new Promise(() => undefined);
  };
  return (
    <ActionDialog
      open
      onClose={onClose}
      title="Add language"
      confirmLabel="Continue"
      disabled={language === null}
      onConfirm={confirm}
    >
      <Text>
        Customers with this language receive the email with your text. All other emails use the default
        language.
      </Text>
      <Select
        label="Email"
        data={Object.entries(mailTypes).map(([value, label]) => ({ value, label }))}
        allowDeselect={false}
        value={kind}
        onChange={(value) => value && setKind(value)}
      />
      <TextInput
        label="Language tag"
        description="A BCP 47 tag, such as fr or pt-BR."
        required
        data-autofocus
        maxLength={35}
        autoComplete="off"
        spellCheck={false}
        value={tag}
        error={tag !== '' && language === null && 'This is not a language tag.'}
        onChange={(event) => setTag(event.currentTarget.value)}
      />
    </ActionDialog>
  );
}

/** Returns a language tag in its canonical form, or null if it is not one. */
function canonicalTag(text: string): string | null {
  try {
    return Intl.getCanonicalLocales(text)[0] ?? null;
  } catch {
    return null;
  }
}
