// Renews what has changed on the page, and leaves the rest as it is: focus, ticks and scrolling stay.
const refresh = document.querySelector("#refresh");
const stale = document.querySelector("#stale");
const seconds = Number(document.body.dataset.refresh);

function renew(old, fresh) {
  if (old.isEqualNode(fresh)) return;
  const [before, after] = [[...old.childNodes], [...fresh.childNodes]];
  const isAlike = (one, at) => one.nodeName === after[at].nodeName && one.id === after[at].id;
  const isSame = old.cloneNode().isEqualNode(fresh.cloneNode());
  if (isSame && before.length > 0 && before.length === after.length && before.every(isAlike)) {
    before.forEach((one, at) => renew(one, after[at]));
  } else {
    old.replaceWith(fresh);
  }
}

// What works with scripts alone.
function unhide(page) {
  for (const label of page.querySelectorAll("main label[hidden]")) label.removeAttribute("hidden");
}

async function look() {
  const signal = AbortSignal.timeout(10_000);
  const answer = await fetch(location.href, { signal });
  if (!answer.ok) throw new Error(answer.status);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  unhide(page);
  const focused = document.activeElement.id;
  const ticked = [...document.querySelectorAll("main :checked")].map((box) => box.id);
  document.title = page.title;
  for (const part of ["header [role=status]", "main"]) renew(document.querySelector(part), page.querySelector(part));
  for (const id of ticked) {
    const box = document.getElementById(id);
    if (box) box.checked = true;
  }
  if (focused && document.activeElement.id !== focused) {
    document.getElementById(focused)?.focus({ preventScroll: true });
  }
}

async function again() {
  // A button that vanishes under a finger is not pressed.
  if (refresh.checked && !document.hidden && !document.querySelector("main :active")) {
    try {
      await look();
      stale.textContent = "";
    } catch {
      if (!stale.textContent) stale.textContent = stale.dataset.says;
    }
  }
  setTimeout(again, seconds * 1000);
}

// A tick of #all ticks every other.
document.addEventListener("change", ({ target }) => {
  if (target.id !== "all") return;
  for (const box of target.form.elements) if (box.name === "position") box.checked = target.checked;
});
unhide(document);

if (seconds) {
  refresh.parentElement.hidden = false;
  setTimeout(again, seconds * 1000);
}
