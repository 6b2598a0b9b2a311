import { Kbd, Modal, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Fragment, useEffect, useState, type KeyboardEvent, type ReactNode } from 'react';
import { UntrustedText } from '../components/untrusted-text';
import { Icon } from '../components/icon';
import { ProblemAlert } from '../components/problem-alert';
import { redactSecrets } from '../components/redact-secrets';
import classes from './command-palette.module.css';
import { useRunCommand } from '../commands/commands';
import { findPageCommands } from './page-commands';
import type { PaletteOption } from './palette-entries';
import { rememberOption, usePaletteOptions } from './palette-options';
import { useViewCommands } from './use-view-commands';

/** The command palette and the functions that open it. */
export interface Palette {
  open: () => void;
  /**
   * Opens the palette with text that was typed into another field. If the palette is open but does not have the focus
   * yet, appends the text.
   */
  type: (text: string) => void;
  /**
   * Handles Enter in another field: opens the palette, or its first result if the palette is open but does not have the
   * focus yet.
   */
  enter: () => void;
  dialog: ReactNode;
}

/**
 * Returns the command palette, which finds records by ID, email address, URL or name, and offers the page's commands.
 */
export function useCommandPalette(): Palette {
  const [isOpen, dialog] = useDisclosure();
  const [typed, setTyped] = useState('');
  const [isEnterPending, setEnterPending] = useState(false);
  // If true, the focus does not return to the field afterwards, because the field would receive the shortcut keys.
  const [isFromField, setFromField] = useState(false);
  const open = (text = '', fromField = true): void => {
    setTyped(redactSecrets(text));
    setEnterPending(false);
    setFromField(fromField);
    dialog.open();
  };
  return {
    open: () => open('', false),
    type: (text) => (isOpen ? setTyped(redactSecrets(typed + text)) : open(text)),
    enter: () => (isOpen ? setEnterPending(true) : open()),
    dialog: (
      <Modal.Root
        opened={isOpen}
        onClose={dialog.close}
        returnFocus={!isFromField}
        centered={false}
        size="lg"
        yOffset="12vh"
      >
        <Modal.Overlay />
        <Modal.Content aria-label="Search">
          <CommandPalette {...{ typed, setTyped, isEnterPending, setEnterPending }} onClose={dialog.close} />
        </Modal.Content>
      </Modal.Root>
    ),
  };
}

interface CommandPaletteProps {
  typed: string;
  setTyped: (text: string) => void;
  isEnterPending: boolean;
  setEnterPending: (isPending: boolean) => void;
  onClose: () => void;
}

function CommandPalette({
  typed,
  setTyped,
  isEnterPending,
  setEnterPending,
  onClose,
}: CommandPaletteProps): ReactNode {
  useViewCommands();
  const [pageCommands] = useState(findPageCommands);
  const [selectedIndex, setSelectedIndex] = useState(0);
  const { options, isSearching, problem } = usePaletteOptions(typed.trim(), pageCommands);
  const runCommand = useRunCommand();
  const activeIndex = Math.min(selectedIndex, options.length - 1);

  const openOption = (option: PaletteOption | undefined): void => {
    if (!option) return;
    rememberOption(option);
    onClose();
    runCommand({ ...option, id: option.key });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setSelectedIndex((activeIndex + step + options.length) % Math.max(1, options.length));
    else if (event.key !== 'Enter') return;
    else if (options[activeIndex]) openOption(options[activeIndex]);
    else setEnterPending(isSearching);
    event.preventDefault();
  };
  // If Enter was pressed during a search, for example after pasting an ID, opens the first result when the search
  // finishes.
  useEffect(() => {
    if (!isEnterPending || isSearching) return;
    setEnterPending(false);
    openOption(options[0]);
  });

  return (
    <>
      <TextInput
        data-autofocus
        variant="unstyled"
        size="md"
        className={classes.input}
        role="combobox"
        aria-label="Search"
        aria-expanded
        aria-controls="palette-options"
        aria-activedescendant={options[activeIndex] && `palette-${activeIndex}`}
        placeholder="Search by ID, email, URL or name, or type a command"
        leftSection={<Icon name="search" size={18} />}
        spellCheck={false}
        autoComplete="off"
        value={typed}
        onChange={(event) => {
          setTyped(redactSecrets(event.currentTarget.value));
          setSelectedIndex(0);
          setEnterPending(false);
        }}
        onKeyDown={onKeyDown}
      />
      <ul id="palette-options" role="listbox" aria-label="Results" className={classes.options}>
        {options.map((option, index) => (
          <Fragment key={option.key}>
            {option.group !== options[index - 1]?.group && (
              <li role="presentation" className={classes.group}>
                {option.group}
              </li>
            )}
            <li
              ref={index === activeIndex ? scrollIntoView : undefined}
              id={`palette-${index}`}
              role="option"
              aria-selected={index === activeIndex}
              className={classes.option}
              onMouseMove={() => setSelectedIndex(index)}
              onClick={() => openOption(option)}
            >
              <OptionContent option={option} />
            </li>
          </Fragment>
        ))}
      </ul>
      {problem && <ProblemAlert error={problem} />}
      {options.length === 0 && !problem && (
        <Text c="dimmed" p="lg" ta="center" role="status">
          {isSearching ? 'Searching…' : 'Nothing found'}
        </Text>
      )}
    </>
  );
}

const scrollIntoView = (option: HTMLElement | null): void => option?.scrollIntoView({ block: 'nearest' });

function OptionContent({
  option: { icon, title, subtitle, shortcut },
}: {
  option: PaletteOption;
}): ReactNode {
  return (
    <>
      <Icon name={icon} size={17} />
      <UntrustedText text={title} oneLine />
      {subtitle && (
        <span className={classes.subtitle}>
          <UntrustedText text={subtitle} oneLine />
        </span>
      )}
      {shortcut && (
        <span className={classes.shortcut} aria-hidden>
          {shortcut.split(' ').map((key) => (
            <Kbd key={key} size="xs">
              {key}
            </Kbd>
          ))}
        </span>
      )}
    </>
  );
}
