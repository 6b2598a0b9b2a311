'use client';

/**
 * Renders the QR code from an SVG document. Uses only its path, because a content security policy may forbid data URL
 * images, and markup from a response must not be inserted into the page.
 */
export function QrCode({ svg, label }: { svg: string; label: string }) {
  const viewBox = /viewBox="([\d. ]+)"/.exec(svg)?.[1];
  const path = /<path d="([^"]+)"/.exec(svg)?.[1];
  return (
    <svg className="gh-qr" role="img" aria-label={label} viewBox={viewBox}>
      <path d={path} />
    </svg>
  );
}
