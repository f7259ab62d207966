/** The style sheet of `/docs`. It stands in the page, and the page's policy names it by its hash. */
export const stylesheet = `
:root { color-scheme: light dark; --text: light-dark(#1c1d22, #e6e7eb); --dim: light-dark(#5b6070, #9aa0b0);
  --back: light-dark(#fff, #14151a); --panel: light-dark(#f5f6f8, #1d1f26); --line: light-dark(#dfe1e7, #2e313b);
  --link: light-dark(#0b57c2, #8ab8ff); --good: light-dark(#17743a, #6fcf8f); --bad: light-dark(#b3261e, #ff9b92);
  --warm: light-dark(#8a5300, #f0b35a) }
* { box-sizing: border-box }
html { scroll-behavior: smooth; scroll-padding-top: 1rem }
body { margin: 0; color: var(--text); background: var(--back); font: 16px/1.55 system-ui, sans-serif;
  display: grid; grid-template: "header header" auto "nav main" 1fr / 19rem minmax(0, 1fr) }
header { grid-area: header; padding: 1.5rem 2rem .5rem; border-bottom: 1px solid var(--line) }
h1 { margin: 0; font-size: 1.6rem } h1 small { color: var(--dim); font-weight: 400; font-size: 1rem }
h2 { margin: 2rem 0 .5rem; font-size: 1.35rem } h3 { margin: 0; font-size: 1.05rem; overflow-wrap: anywhere }
h4 { margin: 1.2rem 0 .4rem; font-size: .85rem; color: var(--dim); text-transform: uppercase; letter-spacing: .05em }
nav { grid-area: nav; padding: 1rem 1rem 2rem 2rem; font-size: .9rem; position: sticky; top: 0; max-height: 100vh;
  overflow: auto; border-right: 1px solid var(--line) }
nav ul, .failures { list-style: none; margin: .2rem 0 .8rem; padding: 0 } nav li { padding: .12rem 0 }
nav summary { font-weight: 600 }
main { grid-area: main; padding: 0 2rem 4rem; max-width: 62rem }
article { margin: 1rem 0; padding: 1.1rem 1.25rem; border: 1px solid var(--line); border-radius: .6rem }
article:target { border-color: var(--link) }
a { color: var(--link); text-decoration: none } a:hover { text-decoration: underline } h3 a { color: inherit }
.summary { margin: .35rem 0 0; font-weight: 600 }
.summary em { font: 600 .75rem system-ui, sans-serif; color: var(--warm); border: 1px solid; border-radius: 1rem;
  padding: .05rem .5rem; margin-left: .4rem }
code, pre, .get, .post, .put, .patch, .delete { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: .87em }
pre { margin: .4rem 0; padding: .8rem 1rem; background: var(--panel); border-radius: .45rem; overflow: auto }
.get, .s2 { color: var(--good) } .post, .put, .patch { color: var(--link) } .delete, .s4, .s5 { color: var(--bad) }
table { width: 100%; border-collapse: collapse; font-size: .92rem }
th, td { text-align: left; vertical-align: top; padding: .4rem .8rem .4rem 0; border-top: 1px solid var(--line);
  overflow-wrap: anywhere }
th { font-weight: 400; width: 13rem } th b { color: var(--bad) } td:nth-child(2) { width: 14rem; color: var(--dim) }
summary { cursor: pointer; padding: .15rem 0 }
@media (max-width: 52rem) {
  body { display: block } header, main { padding-inline: 1rem } nav { position: static; max-height: none;
    padding: .5rem 1rem; border: 0; border-bottom: 1px solid var(--line) }
  tr { display: block; border-top: 1px solid var(--line); padding: .3rem 0 }
  th, td, td:nth-child(2) { display: block; width: auto; border: 0; padding: .1rem 0 }
}
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto } }
`
