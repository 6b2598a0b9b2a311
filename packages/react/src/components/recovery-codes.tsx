'use client';
import { useState } from 'react';
import { useTexts } from '../use-texts.js';
import { Button } from './button.js';

/**
 * Shows recovery codes, with buttons to copy and download them.
 * @param onConfirm called when the customer confirms that they are saved
 */
export function RecoveryCodes({ codes, onConfirm }: { codes: string[]; onConfirm: () => void }) {
  const texts = useTexts();
  const [isCopied, setIsCopied] = useState(false);
  const copy = (): void => {
    // The clipboard is unavailable on plain http, and the customer can deny access. The codes remain visible.
    navigator.clipboard?.writeText(codes.join('\n')).then(
      () => setIsCopied(true),
      () => setIsCopied(false),
    );
  };
  return (
    <>
      <ul className="gh-codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className="gh-actions">
        <Button variant="primary" onClick={onConfirm}>
          {texts.codesButton}
        </Button>
        <Button onClick={copy}>
          <span role="status">{isCopied ? texts.copied : texts.copy}</span>
        </Button>
        <a
          className="gh-button gh-secondary"
          href={`data:text/plain,${encodeURIComponent(codes.join('\n'))}`}
          download="recovery-codes.txt"
        >
          {texts.download}
        </a>
      </div>
    </>
  );
}
